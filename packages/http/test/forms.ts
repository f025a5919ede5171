/** One part of a form, as it is to be sent; what is left out is not said. */
export type FormPart = {
  name?: string;
  filename?: string;
  type?: string;
  headers?: readonly string[];
  body?: string | Buffer;
};

/** The type of a form as `encodeForm` makes it. */
export const formContentType = "multipart/form-data; boundary=edge";

/** The same as a line of a head. */
export const formType = `Content-Type: ${formContentType}`;

/** A form byte by byte, for what `FormData` would never send. */
export function encodeForm(...parts: readonly FormPart[]): Buffer {
  return Buffer.concat([...parts.map(encodePart), Buffer.from("--edge--\r\n")]);
}

function encodePart({ name, filename, type, headers = [], body = "" }: FormPart): Buffer {
  const disposition = ["Content-Disposition: form-data"];
  if (name !== undefined) disposition.push(`name="${name}"`);
  if (filename !== undefined) disposition.push(`filename="${filename}"`);
  const lines = [
    "--edge",
    disposition.join("; "),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...headers,
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(lines.join("\r\n")), Buffer.from(body), Buffer.from("\r\n")]);
}

/** A form as browsers send it: texts, and files in the field that takes them. */
export function toForm(fields: Readonly<Record<string, string>>, ...files: readonly File[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) form.append("files", file);
  return form;
}

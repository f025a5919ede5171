/** One part of a form. Headers for missing fields are left out. */
export type FormPart = {
  name?: string;
  filename?: string;
  type?: string;
  headers?: readonly string[];
  body?: string | Buffer;
};

/** The content type of a form made by `encodeForm`. */
export const formContentType = "multipart/form-data; boundary=edge";

/** The header line with the content type of a form. */
export const formType = `Content-Type: ${formContentType}`;

/** Encodes a form byte by byte, for parts that `FormData` would never send. */
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

/** Makes a form as browsers send it: texts, and files in the field `files`. */
export function toForm(fields: Readonly<Record<string, string>>, ...files: readonly File[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) form.append("files", file);
  return form;
}

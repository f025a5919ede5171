import { as, send } from "./entry.ts";
import type { Entry, Headers } from "./entry.ts";

const files = { name: "files", filename: "note.txt", type: "text/plain", body: "A note." };
const input = { name: "input", body: "Read this." };

/** Forms with files, and forms that are refused. */
export const uploadEntries: readonly Entry[] = [
  { title: "upload", request: upload([input, { name: "sessionId", body: "u1" }, files], as("ada")) },
  { title: "upload: a file alone", request: upload([files]) },
  { title: "upload: two files", request: upload([input, files, { ...files, filename: "other.txt" }]) },
  {
    title: "upload: a picture",
    request: upload([input, { ...files, filename: "p.png", type: "image/png", body: png() }]),
  },
  { title: "upload: bytes that are not what the type says", request: upload([input, { ...files, type: "image/png" }]) },
  { title: "upload: a type that is not allowed", request: upload([input, { ...files, type: "application/x-sh" }]) },
  { title: "upload: three files", request: upload([input, files, files, files]) },
  { title: "upload: a file that is too large", request: upload([input, { ...files, body: "x".repeat(100_001) }]) },
  { title: "upload: a field that is not known", request: upload([input, { name: "model", body: "m" }]) },
  { title: "upload: a file in another field", request: upload([input, { ...files, name: "other" }]) },
  { title: "upload: nothing", request: upload([]) },
  { title: "upload: a part without a name", request: upload([{ body: "x" }]) },
  { title: "upload: an end that is missing", request: upload([input], {}, "") },
  { title: "upload: no boundary", request: upload([input], { "Content-Type": "multipart/form-data" }) },
  { title: "upload: an unknown agent", request: upload([input], {}, "--edge--\r\n", "/agents/nobody/run") },
  { title: "upload: a stream", request: upload([input, files], {}, "--edge--\r\n", "/agents/helper/stream") },
  { title: "upload: a team", request: upload([input, files], {}, "--edge--\r\n", "/teams/desk/run") },
  { title: "upload: a workflow", request: upload([input, files], {}, "--edge--\r\n", "/workflows/counter/run") },
  { title: "upload: another site", request: upload([input, files], { Origin: "https://evil.example" }) },
  { title: "upload: an allowed origin", request: upload([input, files], { Origin: "https://app.example" }) },
  { title: "upload: too large", request: upload([input], { "Content-Length": "9999999999" }) },
];

type FormPart = { name?: string; filename?: string; type?: string; body: string | Buffer };

function upload(
  parts: readonly FormPart[],
  headers: Headers = {},
  ...[end = "--edge--\r\n", path = "/agents/helper/run"]: string[]
): Buffer {
  const body = Buffer.concat([...parts.map(encode), Buffer.from(end)]);
  const ofBody = { "Content-Type": "multipart/form-data; boundary=edge", "Content-Length": String(body.length) };
  return send(`POST ${path}`, { ...ofBody, ...headers }, body);
}

function encode({ name, filename, type, body }: FormPart): Buffer {
  const facts = Object.entries({ name, filename }).flatMap(([key, value]) => (value ? [`; ${key}="${value}"`] : []));
  const head = [
    "--edge",
    `Content-Disposition: form-data${facts.join("")}`,
    ...(type ? [`Content-Type: ${type}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body), Buffer.from("\r\n")]);
}

function png(): Buffer {
  return Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
}

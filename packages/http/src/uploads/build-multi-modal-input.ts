import type { ContentPart, MessageContent, TroupeError } from "@troupe/core";
import { checkContent } from "@troupe/core/transport";
import { cleanFileName, invalidFormError } from "./form.ts";
import type { MulterFile, RequestFiles } from "./request-fields.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/** The fields of an upload's form, or a parsed JSON body. {@link buildMultiModalInput} reads `input` from it. */
export type InputBody = { readonly input?: unknown } | null | undefined;

/**
 * Makes the input of a run from `body.input` (a string or an array of content parts) and uploaded files. The files are
 * read into memory as base64. Returns `input` alone if there are no files, else content parts. A file with a `path` is
 * read from disk: pass paths that a middleware has set, never a client's value. Throws `invalid_request` for a
 * malformed `input` or file.
 */
export async function buildMultiModalInput(body: InputBody, files?: RequestFiles | null): Promise<MessageContent> {
  const input = body?.input ?? "";
  const list = toList(files ?? []);
  if (list.length === 0) return typeof input === "string" ? input : checkContent(input);
  const parts = toParts(input);
  // Files are read one after the other, because each is in memory twice while it is encoded.
  for (const [index, file] of list.entries()) parts.push(await toPart(file, index));
  return parts;
}

function toParts(input: unknown): ContentPart[] {
  if (typeof input === "string") return input.trim() === "" ? [] : [{ type: "text", text: input }];
  if (Array.isArray(input) && input.length === 0) return [];
  return [...(checkContent(input) as ContentPart[])];
}

function toList(files: RequestFiles): readonly unknown[] {
  if (Array.isArray(files)) return files as readonly unknown[];
  if (typeof files !== "object") throw wrongFiles("files");
  if ("mimeType" in files || "mimetype" in files) return [files];
  return Object.entries(files as object).flatMap(([field, list]: [string, unknown]) => {
    if (Array.isArray(list)) return list as unknown[];
    throw wrongFiles(`files[${JSON.stringify(field.slice(0, 64))}]`);
  });
}

async function toPart(file: unknown, index: number): Promise<ContentPart> {
  const { filename, mimeType, data } = await readAny(file, `files[${index}]`);
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "file", data, mimeType, ...(filename !== undefined && { filename }) };
}

type ReadFile = { filename: string | undefined; mimeType: string; data: string };

/** Reads an uploaded file of this package or of `multer`. */
async function readAny(file: unknown, place: string): Promise<ReadFile> {
  const { mimeType, filename, read, mimetype, originalname, buffer, path } = (file ?? {}) as Partial<
    UploadedFile & MulterFile
  >;
  if (typeof mimeType === "string" && typeof read === "function") {
    return { filename, mimeType, data: toBase64(await (file as UploadedFile).read()) };
  }
  if (typeof mimetype !== "string") throw wrongFiles(place);
  const type = mimetype.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const name = cleanFileName(originalname);
  if (buffer instanceof Uint8Array) return { filename: name, mimeType: type, data: toBase64(buffer) };
  if (typeof path !== "string") throw wrongFiles(place);
  const { readFile } = process.getBuiltinModule("node:fs/promises");
  return { filename: name, mimeType: type, data: toBase64(await readFile(path)) };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

function wrongFiles(place: string): TroupeError {
  const expected = /^files(\["|$)/.test(place) ? "an array of uploaded files" : "an uploaded file";
  return invalidFormError(
    `${place} must be ${expected}: of createFileUploadMiddleware, or of multer with its buffer or path.`,
  );
}

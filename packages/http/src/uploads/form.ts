import type { Readable } from "node:stream";
import { TroupeError } from "@troupe/core";
import { cutText } from "@troupe/core/kit";
import { checkFileType, detectMimeType } from "@troupe/core/transport";
import type { UploadRules } from "./upload-options.ts";
import { MemoryBudget, SpooledFile } from "./uploaded-file.ts";
import type { FileHeaders, UploadedFile } from "./uploaded-file.ts";

/**
 * Facts that the parser busboy reports about a text field. busboy's own types are not used, because programs that
 * compile against this package would need them too.
 */
type FieldInfo = { encoding: string; valueTruncated: boolean };
/**
 * Facts that the parser busboy reports about an uploaded file, and the media type in the headers of the file's part.
 */
type FileInfo = { filename: string | undefined; encoding: string; mimeType: string | undefined };

/** The name of the field that holds files. */
const fileField = "files";
/**
 * Largest number of text fields in an uploaded form: enough for a form that people fill in, and more than a run needs.
 */
export const maxFields = 20;

/** Bytes that the files of one form may hold in memory. */
const memoryBytes = 1_048_576;
/**
 * Values of Content-Transfer-Encoding that leave the bytes unchanged. Other encodings are rejected, because they would
 * have to be decoded.
 */
const plainEncodings = ["7bit", "8bit", "binary"];

const longestFileName = 255;
/** Invisible characters: control characters, line breaks, and marks that change the direction of text. */
const invisible = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The text fields and files of an uploaded form (`multipart/form-data`), filled as it is read. Each part is checked
 * against the limits at once; a violation throws an error for the client.
 */
export class Form {
  /** The text fields. The object has no prototype, because clients choose the names. */
  readonly fields: Record<string, string> = Object.create(null) as Record<string, string>;
  readonly #rules: UploadRules;
  readonly #budget = new MemoryBudget(memoryBytes);
  readonly #files: SpooledFile[] = [];
  #totalSize = 0;

  constructor(rules: UploadRules) {
    this.#rules = rules;
  }

  /** The files in order of arrival. Leaves out the empty file that browsers send if no file was chosen. */
  get files(): UploadedFile[] {
    return this.#files.filter(({ size }) => size > 0);
  }

  addField(name: string | undefined, value: string | undefined, info: FieldInfo): void {
    const { maxFieldSize } = this.#rules;
    if (name === undefined) throw invalidFormError("A part of the form has no name. Give each field one.");
    if (name === fileField) throw invalidFormError(`The field ${fileField} takes files: each part needs a filename.`);
    if (Object.hasOwn(this.fields, name)) throw invalidFormError(`The field ${quoted(name)} must be sent once.`);
    if (Object.keys(this.fields).length === maxFields) {
      throw invalidFormError(`The form must have at most ${maxFields} fields.`);
    }
    checkEncoding(info, name);
    if (value === undefined) throw invalidFormError(`The field ${quoted(name)} must be in UTF-8.`);
    if (info.valueTruncated)
      throw formTooLargeError(`The field ${quoted(name)} must have at most ${maxFieldSize} bytes.`);
    this.fields[name] = value;
  }

  /** Stores a file of the form as it arrives. Rejects if the file breaks a limit, or has a name but no content. */
  async addFile(name: string | undefined, stream: Readable, info: FileInfo): Promise<void> {
    const facts = this.#admit(name, info);
    const file = new SpooledFile(facts, this.#budget);
    this.#files.push(file);
    for await (const piece of withWholeHead(stream)) {
      if (file.size === 0) {
        const { mimeType: claimed = unknownType } = facts;
        file.mimeType = claimed === unknownType ? detectMimeType(piece.toString("base64", 0, headBytes)) : claimed;
        this.#checkType(file);
      }
      this.#count(piece.length, file.size + piece.length, facts);
      await file.append(piece);
    }
    if (file.size === 0 && facts.filename !== undefined) throw invalidFormError(`${describe(facts)} is empty.`);
  }

  /** Removes the temporary files of the form. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.#files.map((file) => file.discard()));
  }

  #admit(name: string | undefined, info: FileInfo): FileHeaders {
    const { maxFiles } = this.#rules;
    if (name !== fileField) {
      const found = name === undefined ? "a part without a name" : quoted(name);
      throw invalidFormError(`Files must be in the field ${fileField}, got ${found}.`);
    }
    const filename = cleanFileName(info.filename);
    const facts = { mimeType: info.mimeType, ...(filename !== undefined && { filename }) };
    if (this.#files.length === maxFiles)
      throw formTooLargeError(`The field ${fileField} takes at most ${maxFiles} files.`);
    checkEncoding(info, name);
    return facts;
  }

  /**
   * Checks the type of a file, only if the file has content: browsers also send a type for a file that was not chosen.
   */
  #checkType(file: SpooledFile): void {
    checkFileType(describe(file), file.mimeType, this.#rules);
  }

  #count(more: number, size: number, facts: FileHeaders): void {
    const { maxFileSize, maxTotalSize } = this.#rules;
    this.#totalSize += more;
    if (size > maxFileSize) throw formTooLargeError(`${describe(facts)} must have at most ${maxFileSize} bytes.`);
    if (this.#totalSize > maxTotalSize) {
      throw formTooLargeError(`All files in ${fileField} together must have at most ${maxTotalSize} bytes.`);
    }
  }
}

/** Makes the `invalid_request` error for a malformed upload or an upload with wrong fields. */
export function invalidFormError(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}

/** Makes the `payload_too_large` error for an upload that exceeds a limit. */
export function formTooLargeError(message: string): TroupeError {
  return new TroupeError("payload_too_large", message);
}

/** The media type of a file of unknown type. Some clients, such as Go's, send it for every file. */
const unknownType = "application/octet-stream";

/** Number of bytes at the beginning of a file that identify its type. */
const headBytes = 18;

/** @yields the pieces of a file; the first piece is long enough for `detectMimeType` unless the file is shorter */
async function* withWholeHead(stream: Readable): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of stream as AsyncIterable<Buffer>) {
    if (head === undefined) yield piece;
    else {
      const joined: Buffer = head.length === 0 ? piece : Buffer.concat([head, piece]);
      head = joined.byteLength < headBytes ? joined : undefined;
      if (head === undefined) yield joined;
    }
  }
  if (head !== undefined && head.length > 0) yield head;
}

function checkEncoding({ encoding }: FieldInfo | FileInfo, name: string): void {
  if (plainEncodings.includes(encoding)) return;
  throw invalidFormError(`The field ${quoted(name)} must be sent without a Content-Transfer-Encoding.`);
}

/**
 * Removes folders and invisible characters from a client's file name, and shortens it. Undefined if nothing is left.
 */
export function cleanFileName(name: string | undefined): string | undefined {
  const last = (name ?? "").split(/[/\\]/).at(-1) ?? "";
  const visible = cutText(last.toWellFormed().replaceAll(invisible, "").trim(), longestFileName);
  return visible === "" || visible === "." || visible === ".." ? undefined : visible;
}

function describe({ filename }: Pick<FileHeaders, "filename">): string {
  return filename === undefined ? `A file in ${fileField}` : `The file ${quoted(filename)} in ${fileField}`;
}

/** Returns a name that a client sent, quoted and shortened, for an error message. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}

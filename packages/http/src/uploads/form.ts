import type { Readable } from "node:stream";
import { TroupeError } from "@troupe/core";
import { cleanFileName } from "./clean-file-name.ts";
import { KeptBytes, MemoryShare } from "./kept-bytes.ts";
import { quoted, refuse, refuseSize } from "./refusals.ts";
import { isAllowed } from "./upload-options.ts";
import type { UploadRules } from "./upload-options.ts";
import { KeptFile } from "./uploaded-file.ts";
import type { FileFacts, UploadedFile } from "./uploaded-file.ts";

/** What a parser says of a text. Not busboy's own types: whoever compiles against us would need them too. */
type FieldInfo = { encoding: string; valueTruncated: boolean };
/** What a parser says of a file. */
type FileInfo = { filename: string | undefined; encoding: string; mimeType: string };

/** The one field that holds files. */
const fileField = "files";
/** As many as a form for people has, and more than a run knows. */
export const mostFields = 20;

const memoryBytes = 1_048_576;
/** What a part may say of its encoding: that it has none. Nobody would decode it. */
const plainEncodings = ["7bit", "8bit", "binary"];

/** What a client has sent in a form, as far as it has been read: nothing in it goes beyond the rules. */
export class Form {
  /** The text fields. Without a prototype: their names are the client's. */
  readonly fields: Record<string, string> = Object.create(null) as Record<string, string>;
  readonly #rules: UploadRules;
  readonly #share = new MemoryShare(memoryBytes);
  readonly #kept: { facts: FileFacts; bytes: KeptBytes }[] = [];
  #total = 0;

  constructor(rules: UploadRules) {
    this.#rules = rules;
  }

  /** In the order in which they came; a page's form in which none was chosen sends one that is nothing. */
  get files(): UploadedFile[] {
    return this.#kept.filter(({ bytes }) => bytes.size > 0).map(({ facts, bytes }) => new KeptFile(facts, bytes));
  }

  addField(name: string | undefined, value: string | undefined, info: FieldInfo): void {
    const { maxFieldSize } = this.#rules;
    if (name === undefined) throw refuse("A part of the form has no name.");
    if (name === fileField) throw refuse(`The field ${fileField} takes files: each part needs a filename.`);
    if (Object.hasOwn(this.fields, name)) throw refuse(`The field ${quoted(name)} must be sent once.`);
    if (Object.keys(this.fields).length === mostFields)
      throw refuse(`The form must have at most ${mostFields} fields.`);
    checkEncoding(info, name);
    if (value === undefined) throw refuse(`The field ${quoted(name)} must be in UTF-8.`);
    if (info.valueTruncated) {
      throw refuseSize(`The field ${quoted(name)} is longer than the ${maxFieldSize} bytes that a field may have.`);
    }
    this.fields[name] = value;
  }

  /** Keeps a file as it comes in. */
  async addFile(name: string | undefined, stream: Readable, info: FileInfo): Promise<void> {
    const facts = this.#admit(name, info);
    const bytes = new KeptBytes(this.#share);
    this.#kept.push({ facts, bytes });
    for await (const piece of stream as AsyncIterable<Buffer>) {
      if (bytes.size === 0) this.#checkType(facts);
      this.#count(piece.length, bytes.size + piece.length, facts);
      await bytes.append(piece);
    }
    if (bytes.size === 0 && facts.filename !== undefined) throw refuse(`${describe(facts)} is empty.`);
  }

  /** Frees what its files are kept in. */
  async discard(): Promise<void> {
    await Promise.allSettled(this.#kept.map(({ bytes }) => bytes.discard()));
  }

  #admit(name: string | undefined, info: FileInfo): FileFacts {
    const { maxFiles } = this.#rules;
    if (name !== fileField) {
      throw refuse(
        `Files go into the field ${fileField}, and not into ${name === undefined ? "one without a name" : quoted(name)}.`,
      );
    }
    const filename = cleanFileName(info.filename);
    const facts = { mimeType: info.mimeType.toLowerCase(), ...(filename !== undefined && { filename }) };
    if (this.#kept.length === maxFiles) throw refuseSize(`The field ${fileField} takes at most ${maxFiles} files.`);
    checkEncoding(info, name);
    return facts;
  }

  /** Of a file that has something in it: a page's form gives one that was not chosen a type too. */
  #checkType(facts: FileFacts): void {
    const { allowedMimeTypes } = this.#rules;
    if (isAllowed(facts.mimeType, this.#rules)) return;
    throw new TroupeError(
      "unsupported_media_type",
      `${describe(facts)} is of type ${quoted(facts.mimeType)}: this service takes ${allowedMimeTypes?.join(", ")}.`,
    );
  }

  #count(more: number, size: number, facts: FileFacts): void {
    const { maxFileSize, maxTotalSize } = this.#rules;
    this.#total += more;
    if (size > maxFileSize) {
      throw refuseSize(`${describe(facts)} is larger than the ${maxFileSize} bytes that a file may have.`);
    }
    if (this.#total > maxTotalSize) {
      throw refuseSize(
        `The field ${fileField} holds more than the ${maxTotalSize} bytes that all files may have together.`,
      );
    }
  }
}

function checkEncoding({ encoding }: FieldInfo | FileInfo, name: string): void {
  if (plainEncodings.includes(encoding)) return;
  throw refuse(`The field ${quoted(name)} must be sent as it is, without a Content-Transfer-Encoding.`);
}

function describe({ filename }: FileFacts): string {
  return filename === undefined ? `A file in ${fileField}` : `The file ${quoted(filename)} in ${fileField}`;
}

import { invalidFormError } from "./form.ts";

/** Facts about a part of a form that busboy does not report. */
export type PartFacts = {
  /** The media type in the part's Content-Type, in lower case and without parameters; undefined without that header. */
  readonly mimeType: string | undefined;
  /** False for text that is declared as UTF-8 but has invalid bytes. Known at the end of the part. */
  isUtf8: boolean;
};

const token = "[!#$%&'*+.^\\w`|~-]+";
const typePattern = new RegExp(`^(${token}/${token})[ \\t]*(?:;|$)`, "i");
const endOfHeaders = "\r\n\r\n";
/** Longest headers of a part, in bytes; busboy itself rejects longer headers. */
const longestHeaders = 20_000;
const carriageReturn = 0x0d;
const unfinishedBoundary =
  "A line of the form begins with the boundary and goes on. Expected a boundary that no content of the form has.";

/**
 * Reads the part headers of a form in parallel with busboy. busboy silently drops parts without a Content-Disposition
 * and replaces bytes that are not UTF-8. The scanner gets the bytes of the form before busboy does.
 */
export class PartScanner {
  readonly parts: PartFacts[] = [];
  readonly #delimiter: Buffer;
  readonly #maxParts: number;
  #state: "content" | "delimiter" | "headers" | "end" = "content";
  /**
   * Received bytes that can be read only together with the next piece. It starts as a line break: every delimiter
   * begins with a line break, except the first delimiter of a form.
   */
  #rest: Buffer = Buffer.from("\r\n");
  /** The decoder that checks the current text field for invalid UTF-8. Undefined outside a text field. */
  #text: InstanceType<typeof TextDecoder> | undefined;

  /** @param maxParts the number of allowed parts; the scanner ignores the rest of the form after one more part */
  constructor(boundary: string, maxParts: number) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#maxParts = maxParts;
  }

  /** Reads the next piece of the form. Throws `invalid_request` for parts that busboy would drop. */
  add(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = 0;
    for (let next = this.#read(bytes, 0); next > at; next = this.#read(bytes, at)) at = next;
    this.#rest = bytes.subarray(at);
  }

  /**
   * Continues to read the form at an index in the received bytes. Returns the next index, or the same index if more
   * bytes are needed.
   */
  #read(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "content":
        return this.#readContent(bytes, at);
      case "delimiter":
        return this.#readDelimiter(bytes, at);
      case "headers":
        return this.#readHeaders(bytes, at);
      default:
        return bytes.length;
    }
  }

  #readContent(bytes: Buffer, start: number): number {
    const found = bytes.indexOf(this.#delimiter, start);
    const end = found === -1 ? this.#possibleStart(bytes, start) : found;
    if (this.#text !== undefined) this.#checkText(bytes.subarray(start, end), found === -1);
    if (found === -1) return end;
    this.#text = undefined;
    this.#state = "delimiter";
    return found + this.#delimiter.length;
  }

  #readDelimiter(bytes: Buffer, at: number): number {
    if (bytes.length < at + 2) return at;
    const follows = bytes.toString("latin1", at, at + 2);
    // To busboy, every line that begins with the boundary ends the part, and busboy drops the bytes that follow.
    if (follows !== "--" && follows !== "\r\n") throw invalidFormError(unfinishedBoundary);
    this.#state = follows === "--" ? "end" : "headers";
    return at + 2;
  }

  #readHeaders(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(endOfHeaders, start);
    if (end === -1) {
      if (bytes.length - start > longestHeaders) this.#state = "end";
      return start;
    }
    this.#addPart(bytes.toString("latin1", start, end));
    this.#state = this.parts.length > this.#maxParts ? "end" : "content";
    return end + endOfHeaders.length;
  }

  #addPart(headers: string): void {
    const lines = headers.replaceAll(/\r\n(?=[ \t])/g, "").split("\r\n");
    const disposition = headerOf(lines, "content-disposition");
    checkDisposition(disposition, this.parts.length + 1);
    const type = headerOf(lines, "content-type") ?? "";
    const mimeType = typePattern.exec(type)?.[1]?.toLowerCase();
    this.parts.push({ mimeType, isUtf8: true });
    const isFile = mimeType === "application/octet-stream" || /;\s*filename\*?\s*=/i.test(disposition);
    const isUtf8 = !/;\s*charset\s*=/i.test(type) || /;\s*charset\s*=\s*"?utf-?8"?\s*(?:;|$)/i.test(type);
    if (!isFile && isUtf8) this.#text = new TextDecoder("utf-8", { fatal: true });
  }

  #checkText(bytes: Buffer, stream: boolean): void {
    try {
      this.#text?.decode(bytes, { stream });
    } catch {
      const part = this.parts.at(-1);
      if (part !== undefined) part.isUtf8 = false;
      this.#text = undefined;
    }
  }

  /** Returns the index in the last bytes at which a delimiter may begin, or the end of the bytes. */
  #possibleStart(bytes: Buffer, start: number): number {
    const first = Math.max(start, bytes.length - this.#delimiter.length + 1);
    for (let at = bytes.indexOf(carriageReturn, first); at !== -1; at = bytes.indexOf(carriageReturn, at + 1)) {
      if (this.#delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
    }
    return bytes.length;
  }
}

/** Returns the boundary in a form's Content-Type, or an empty string. */
export function boundaryOf(contentType: string | undefined): string {
  const [, inQuotes, bare = ""] = /;\s*boundary=(?:"((?:\\.|[^"\\])*)"|([^\s;"]+))/i.exec(contentType ?? "") ?? [];
  return inQuotes?.replaceAll(/\\(.)/g, "$1") ?? bare;
}

function headerOf(lines: readonly string[], name: string): string | undefined {
  const line = lines.find((each) => each.slice(0, name.length + 1).toLowerCase() === `${name}:`);
  return line?.slice(name.length + 1).trim();
}

function checkDisposition(disposition: string | undefined, number: number): asserts disposition is string {
  const expected = 'Expected Content-Disposition: form-data; name="input", or another name.';
  if (disposition === undefined || disposition === "") {
    throw invalidFormError(`Part ${number} of the form has no Content-Disposition. ${expected}`);
  }
  const [type = ""] = disposition.split(";", 1);
  if (type.trim().toLowerCase() === "form-data") return;
  const shown = JSON.stringify(type.trim().slice(0, 64));
  throw invalidFormError(`Part ${number} of the form has the Content-Disposition ${shown}. ${expected}`);
}

import { TroupeError } from "../../base/errors/troupe-error.ts";
import { integerOption, optional } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const nothing = Buffer.alloc(0);

/** Options of `readSse` and `readNdjson`: a size limit for one event, and a signal. */
export interface EventReadOptions {
  /** Maximum size of one event in bytes, without its line ends. @default 1_048_576 */
  maxEventBytes?: number;
  /** Ends the reading: a waiting reader receives `cancelled` immediately, and the source is released. */
  signal?: AbortSignal;
}

const limits = { maxEventBytes: optional(integerOption(1, 2 ** 31 - 1), 1_048_576) };

/** Returns the checked option `maxEventBytes`, or its default. Throws `invalid_config` for a wrong value. */
export function readMaxEventBytes(options: Pick<EventReadOptions, "maxEventBytes">): number {
  return readOptions(limits, options, { owner: "the stream" }).maxEventBytes;
}

/** Line ends that a line reader accepts: `any` is LF, CR or CRLF, as in server-sent events; `line-feed` is only LF. */
export type LineEnding = "any" | "line-feed";

/**
 * Finds the lines in chunks of bytes, for stream parsers. It is a cursor rather than an iterator: `bytes` from `start`
 * to `end` is the current line.
 */
export class ByteLines {
  bytes: Buffer = nothing;
  start = 0;
  end = 0;

  readonly #ending: LineEnding;
  readonly #unfinished = new GrowingBytes();
  #chunk: Buffer = nothing;
  #position = 0;
  #nextLineFeed = -1;
  #nextCarriageReturn = -1;
  #endedWithCarriageReturn = false;
  #isFirstLine = true;

  constructor(ending: LineEnding) {
    this.#ending = ending;
  }

  /** Number of bytes received of a line whose end has not arrived. */
  get unfinishedBytes(): number {
    return this.#unfinished.length;
  }

  /** Adds the next chunk of bytes. Call it after `next` has returned false. */
  feed(chunk: Uint8Array): void {
    this.#chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#position = 0;
    this.#nextLineFeed = -1;
    this.#nextCarriageReturn = this.#ending === "any" ? -1 : Infinity;
  }

  /**
   * Moves to the next complete line. Returns false if no line is complete yet. Throws if the line, complete or not, has
   * more than `room` bytes.
   */
  next(room: number): boolean {
    this.#skipSecondHalfOfCrLf();
    const end = this.#findLineEnd();
    const known = Math.min(end, this.#chunk.length);
    if (this.#unfinished.length + known - this.#position > room) throw tooLarge();
    if (end === Infinity) return this.#keepRest();

    this.#setLine(end);
    this.#endedWithCarriageReturn = end === this.#nextCarriageReturn;
    this.#position = end + 1;
    return true;
  }

  /** Moves to the last line of a stream, which has no line end. Returns false if it is empty. */
  last(): boolean {
    if (this.#unfinished.length === 0) return false;
    this.#setLine(this.#position);
    return this.start < this.end;
  }

  // A line ends at its CR. An LF after it is skipped later, because it may arrive much later, or never.
  #skipSecondHalfOfCrLf(): void {
    if (!this.#endedWithCarriageReturn || this.#position >= this.#chunk.length) return;
    this.#endedWithCarriageReturn = false;
    if (this.#chunk[this.#position] === lineFeed) this.#position += 1;
  }

  #findLineEnd(): number {
    // Searches for the next LF, and the next CR, only after the last one found was passed. A chunk that lacks one of
    // the two is thus scanned for it only once.
    if (this.#nextLineFeed < this.#position) this.#nextLineFeed = this.#find(lineFeed);
    if (this.#nextCarriageReturn < this.#position) this.#nextCarriageReturn = this.#find(carriageReturn);
    return Math.min(this.#nextLineFeed, this.#nextCarriageReturn);
  }

  #find(byte: number): number {
    const index = this.#chunk.indexOf(byte, this.#position);
    return index === -1 ? Infinity : index;
  }

  #keepRest(): false {
    if (this.#position < this.#chunk.length) this.#unfinished.append(this.#chunk.subarray(this.#position));
    // Drops the reference to the chunk of bytes while waiting for the next chunk.
    this.#chunk = nothing;
    this.bytes = nothing;
    this.#position = 0;
    return false;
  }

  #setLine(end: number): void {
    if (this.#unfinished.length === 0) {
      this.bytes = this.#chunk;
      this.start = this.#position;
      this.end = end;
    } else {
      this.#unfinished.append(this.#chunk.subarray(this.#position, end));
      this.bytes = this.#unfinished.take();
      this.start = 0;
      this.end = this.bytes.length;
    }
    if (this.#isFirstLine) this.#skipByteOrderMark();
  }

  #skipByteOrderMark(): void {
    this.#isFirstLine = false;
    if (this.bytes.subarray(this.start, this.end).subarray(0, 3).equals(byteOrderMark)) this.start += 3;
  }
}

/**
 * A buffer for bytes that arrive in pieces. Its memory doubles when full, so that n bytes cost O(n) however small the
 * pieces.
 */
class GrowingBytes {
  #bytes = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Copies a piece to the end, so that the piece's memory may be reused. */
  append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Returns all bytes and empties the buffer. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = nothing;
    this.#length = 0;
    return taken;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function tooLarge(): TroupeError {
  return new TroupeError(
    "invalid_value",
    "An event of the stream is larger than maxEventBytes. Raise maxEventBytes if events of that size are expected.",
    { fields: { option: "maxEventBytes" } },
  );
}

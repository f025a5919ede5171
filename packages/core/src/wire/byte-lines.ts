import { TroupeError } from "../errors/troupe-error.ts";
import { GrowingBytes } from "./growing-bytes.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const nothing = Buffer.alloc(0);

/** `any`: LF, CR or CRLF, as server-sent events have it. */
export type LineEnding = "any" | "line-feed";

/**
 * Finds lines in chunks of bytes. It is a cursor and not an iterator: `bytes` from `start` to `end` is the current line,
 * and a chunk of a thousand lines makes no thousand objects.
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

  /** How many bytes of a line have come whose end has not. */
  get unfinishedBytes(): number {
    return this.#unfinished.length;
  }

  /** Takes the next chunk, once `next` has said that there is no whole line left. */
  feed(chunk: Uint8Array): void {
    this.#chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#position = 0;
    this.#nextLineFeed = -1;
    this.#nextCarriageReturn = this.#ending === "any" ? -1 : Infinity;
  }

  /** Moves to the next whole line. Throws when the line, whole or not, has more than `room` bytes. */
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

  /** Moves to what has come of a line whose end never will. */
  last(): boolean {
    if (this.#unfinished.length === 0) return false;
    this.#setLine(this.#position);
    return this.start < this.end;
  }

  /** A line ends at its CR, without a wait for an LF that may come much later, or never. */
  #skipSecondHalfOfCrLf(): void {
    if (!this.#endedWithCarriageReturn || this.#position >= this.#chunk.length) return;
    this.#endedWithCarriageReturn = false;
    if (this.#chunk[this.#position] === lineFeed) this.#position += 1;
  }

  #findLineEnd(): number {
    // Each is searched for again only when it has been passed: with one kind absent, the chunk is still scanned once.
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
    this.#chunk = nothing;
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

function tooLarge(): TroupeError {
  return new TroupeError(
    "invalid_value",
    "The stream holds an event of more bytes than maxEventBytes allows. Raise maxEventBytes if events of that size are expected.",
    { fields: { option: "maxEventBytes" } },
  );
}

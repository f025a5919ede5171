const empty = Buffer.alloc(0);

/** Bytes that come piece by piece. Room is doubled when it runs out, so that n bytes cost n, however small the pieces. */
export class GrowingBytes {
  #bytes = empty;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Copies a piece to the end: whoever gave it may use its memory again. */
  append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Hands over all bytes and starts again with none. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = empty;
    this.#length = 0;
    return taken;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

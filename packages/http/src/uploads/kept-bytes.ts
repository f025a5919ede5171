import { ScratchFile } from "./scratch-file.ts";

/** How much of one upload may be in memory at a time; a share for all its files. */
export class MemoryShare {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Whether that much was left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** The bytes of a file as they come in: in memory while its upload has a share left there, on disk from then on. */
export class KeptBytes {
  readonly #share: MemoryShare;
  #pieces: Buffer[] = [];
  #onDisk: ScratchFile | undefined;
  #size = 0;

  constructor(share: MemoryShare) {
    this.#share = share;
  }

  get size(): number {
    return this.#size;
  }

  async append(piece: Buffer): Promise<void> {
    this.#size += piece.length;
    if (this.#onDisk === undefined && this.#share.take(piece.length)) {
      this.#pieces.push(piece);
      return;
    }
    this.#onDisk ??= await this.#moveToDisk();
    await this.#onDisk.append(piece);
  }

  async read(): Promise<Buffer> {
    return this.#onDisk === undefined ? Buffer.concat(this.#pieces) : await this.#onDisk.read(this.#size);
  }

  async discard(): Promise<void> {
    await this.#onDisk?.remove();
  }

  async #moveToDisk(): Promise<ScratchFile> {
    const file = await ScratchFile.create();
    this.#onDisk = file;
    const pieces = this.#pieces;
    this.#pieces = [];
    await file.append(Buffer.concat(pieces));
    return file;
  }
}

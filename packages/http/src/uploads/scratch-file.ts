import { open, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TroupeError } from "@troupe/core";
import { createId } from "@troupe/core/adapter";

/**
 * Bytes on disk for as long as somebody holds them. The file has no name from the moment it is open: whatever becomes of
 * the process, the system frees its room, and nobody else can open it.
 */
export class ScratchFile {
  readonly #handle: FileHandle;
  /** One after the other: a descriptor that is closed under a read may be another file's by then. */
  #last: Promise<unknown> = Promise.resolve();
  #isGone = false;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(): Promise<ScratchFile> {
    const path = join(tmpdir(), `troupe-upload-${createId()}`);
    const handle = await open(path, "wx+", 0o600);
    try {
      await unlink(path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new ScratchFile(handle);
  }

  /** Adds bytes to its end. */
  async append(bytes: Buffer): Promise<void> {
    await this.#next(async () => await this.#handle.appendFile(bytes));
  }

  /** Reads it from its beginning. */
  async read(size: number): Promise<Buffer> {
    return await this.#next(async () => await this.#readWhole(size));
  }

  /** Gives it back to the system. */
  async remove(): Promise<void> {
    await this.#next(async () => {
      this.#isGone = true;
      await this.#handle.close();
    });
  }

  async #readWhole(size: number): Promise<Buffer> {
    if (this.#isGone) throw new TroupeError("cancelled", "The file is gone: the request that brought it is over.");
    const bytes = Buffer.allocUnsafeSlow(size);
    for (let offset = 0; offset < size;) {
      const { bytesRead } = await this.#handle.read(bytes, offset, size - offset, offset);
      if (bytesRead === 0) throw new TroupeError("internal", "An uploaded file has lost its end.");
      offset += bytesRead;
    }
    return bytes;
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work, work);
    this.#last = done;
    return done;
  }
}

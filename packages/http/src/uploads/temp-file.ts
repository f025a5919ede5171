import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TroupeError } from "@troupe/core";
import { createId } from "@troupe/core/kit";

/**
 * A temporary file for uploaded bytes, without a name. It is unlinked as soon as it is open, so that no other process
 * can open it. The operating system frees its space when this process ends, even after a crash.
 */
export class TempFile {
  readonly #handle: FileHandle;
  /** Operations run one at a time: a descriptor that is closed during a read may already belong to another file. */
  #last: Promise<unknown> = Promise.resolve();
  #isRemoved = false;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(): Promise<TempFile> {
    const path = join(tmpdir(), `troupe-upload-${createId()}`);
    // These modules are not imported statically, because few servers receive files, and the import would slow the start
    // of every server.
    const { open, unlink } = process.getBuiltinModule("node:fs/promises");
    const handle = await open(path, "wx+", 0o600);
    try {
      await unlink(path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new TempFile(handle);
  }

  async append(bytes: Buffer): Promise<void> {
    await this.#next(async () => await this.#handle.appendFile(bytes));
  }

  /** Reads the first `size` bytes of the file. Throws `cancelled` if the file was removed. */
  async read(size: number): Promise<Buffer> {
    return await this.#next(async () => await this.#readWhole(size));
  }

  /** Closes the file, which frees its space. */
  async remove(): Promise<void> {
    await this.#next(async () => {
      this.#isRemoved = true;
      await this.#handle.close();
    });
  }

  async #readWhole(size: number): Promise<Buffer> {
    if (this.#isRemoved) {
      throw new TroupeError(
        "cancelled",
        "The uploaded file was removed: its request is over. Read it before answering.",
      );
    }
    const bytes = Buffer.allocUnsafeSlow(size);
    for (let offset = 0; offset < size;) {
      const { bytesRead } = await this.#handle.read(bytes, offset, size - offset, offset);
      if (bytesRead === 0) throw new TroupeError("internal", "The temporary file of an upload was truncated.");
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

import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ChunkReceiver } from "./run-lifecycle.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import { over } from "./stream-views.ts";
import type { ReadChunk, Reader } from "./stream-views.ts";

/** The reads of a run's chunks that have not received a chunk yet. A reader may request several chunks at once. */
export class PendingReads implements ChunkReceiver {
  /** The only reader of the run; undefined until reading starts. */
  reader: Reader | undefined;
  readonly #reads: Pick<PromiseWithResolvers<ReadChunk>, "resolve" | "reject">[] = [];
  /** The failure of the run, until a read receives it. */
  #failure: TroupeError | undefined;

  get size(): number {
    return this.#reads.length;
  }

  /** True if a read waits, or if the run goes on without reads. */
  get wantsChunk(): boolean {
    return this.#reads.length > 0 || !(this.reader === "chunks" || this.reader === "text");
  }

  get isStream(): boolean {
    return this.reader !== "none";
  }

  /** Adds a read. The promise settles by `give` or `end`. */
  add(): Promise<ReadChunk> {
    const read = Promise.withResolvers<ReadChunk>();
    this.#reads.push(read);
    return read.promise;
  }

  /** Gives a chunk to the first read. */
  give(chunk: StreamChunk): void {
    this.#reads.shift()?.resolve({ done: false, value: chunk });
  }

  /**
   * Ends all reads, because the run has ended: the first read receives the failure, if there is one, and the other
   * reads end without a value. If there is no read, the next read receives the failure.
   */
  end(failure: TroupeError | undefined = this.#failure): void {
    this.#failure = failure;
    for (const read of this.#reads.splice(0)) {
      const unread = this.#failure;
      this.#failure = undefined;
      if (unread === undefined) read.resolve(over);
      else read.reject(unread);
    }
  }
}

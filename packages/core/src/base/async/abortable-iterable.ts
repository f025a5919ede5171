import { Readable } from "node:stream";
import { TroupeError } from "../errors/troupe-error.ts";

/**
 * Passes on the chunks of `source` until `signal` aborts. Without a signal, returns `source` itself. On an abort a
 * waiting reader is woken with `cancelled`, and the source is released. A source that is itself waiting in an async
 * generator is released only when that wait ends, so pass the same signal to that wait.
 */
export function abortableIterable<Chunk>(
  source: AsyncIterable<Chunk>,
  signal: AbortSignal | undefined,
): AsyncIterable<Chunk> {
  if (signal === undefined) return source;
  return { [Symbol.asyncIterator]: () => new AbortableIterator(source, signal) };
}

/** Makes the `cancelled` error of a read from a stream after the reader's signal aborted. */
export function abortedReadError(signal: AbortSignal): TroupeError {
  return new TroupeError("cancelled", "The signal was aborted before the stream had come to its end.", {
    cause: signal.reason,
  });
}

class AbortableIterator<Chunk> implements AsyncIterator<Chunk, undefined> {
  readonly #source: AsyncIterable<Chunk>;
  readonly #chunks: AsyncIterator<Chunk>;
  readonly #signal: AbortSignal;
  #wake: (error: TroupeError) => void = ignore;

  constructor(source: AsyncIterable<Chunk>, signal: AbortSignal) {
    this.#source = source;
    this.#chunks = source[Symbol.asyncIterator]();
    this.#signal = signal;
    if (signal.aborted) this.#abort();
    else signal.addEventListener("abort", this.#abort);
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    if (this.#signal.aborted) throw abortedReadError(this.#signal);
    try {
      const result = await this.#nextOrAbort();
      if (!result.done) return result;
    } catch (error) {
      this.#unlisten();
      throw error;
    }
    this.#unlisten();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Chunk, undefined>> {
    await this.#release();
    return { done: true, value: undefined };
  }

  // Waits for a chunk or an abort without `Promise.race`: a shared promise for the abort would collect a reaction for
  // each chunk while the stream lives.
  #nextOrAbort(): Promise<IteratorResult<Chunk>> {
    return new Promise((resolve, reject) => {
      this.#wake = reject;
      this.#chunks.next().then(resolve, reject);
    });
  }

  readonly #abort = (): void => {
    // The reader receives the abort error, so a failure to release the source no longer matters.
    this.#release().catch(ignore);
    this.#wake(abortedReadError(this.#signal));
  };

  async #release(): Promise<void> {
    this.#unlisten();
    // The iterator of a Node stream would answer `return` only after a chunk that may never arrive, so the stream is
    // destroyed. A stream destroyed early may emit an error.
    if (this.#source instanceof Readable) this.#source.once("error", ignore).destroy();
    else await this.#chunks.return?.();
  }

  #unlisten(): void {
    this.#signal.removeEventListener("abort", this.#abort);
  }
}

function ignore(): void {}

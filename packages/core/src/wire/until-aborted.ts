import { Readable } from "node:stream";
import { TroupeError } from "../errors/troupe-error.ts";

/**
 * Gives the chunks of `source` until `signal` aborts: a reader that waits is then woken at once with `cancelled`, and the
 * source is freed. A source that is itself waiting in an async generator can only be freed when that wait ends, so give
 * the same signal to what it waits for.
 */
export function untilAborted<Chunk>(
  source: AsyncIterable<Chunk>,
  signal: AbortSignal | undefined,
): AsyncIterable<Chunk> {
  if (signal === undefined) return source;
  return { [Symbol.asyncIterator]: () => new AbortableIterator(source, signal) };
}

/** What a reader gets when its signal has aborted. */
export function abortedReading(signal: AbortSignal): TroupeError {
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
    if (this.#signal.aborted) throw abortedReading(this.#signal);
    try {
      const result = await this.#nextOrAbort();
      if (!result.done) return result;
    } catch (error) {
      this.#forgetSignal();
      throw error;
    }
    this.#forgetSignal();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Chunk, undefined>> {
    await this.#free();
    return { done: true, value: undefined };
  }

  // Not Promise.race with one promise for the abort: that would gather a reaction per chunk for as long as the stream lives.
  #nextOrAbort(): Promise<IteratorResult<Chunk>> {
    return new Promise((resolve, reject) => {
      this.#wake = reject;
      this.#chunks.next().then(resolve, reject);
    });
  }

  readonly #abort = (): void => {
    // The reader learns of the abort; how the source takes it is nobody's business any more.
    this.#free().catch(ignore);
    this.#wake(abortedReading(this.#signal));
  };

  async #free(): Promise<void> {
    this.#forgetSignal();
    // Its iterator would answer `return` only after the chunk that may never come. Destroyed early, it may say so as an error.
    if (this.#source instanceof Readable) this.#source.once("error", ignore).destroy();
    else await this.#chunks.return?.();
  }

  #forgetSignal(): void {
    this.#signal.removeEventListener("abort", this.#abort);
  }
}

function ignore(): void {}

import { SseParser } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import type { EventReader } from "./model-call.ts";

/** The last event repeats the whole answer, with encrypted content. */
const maxEventBytes = 16_777_216;

/**
 * Parses the bytes of one streamed answer (SSE) for the `EventReader` of its API. An error in the stream is kept until
 * `throwFailure`, so that the chunks before it are delivered first.
 */
export class StreamReader {
  readonly #parser = new SseParser({ maxEventBytes });
  readonly #reader: EventReader;
  #isComplete = false;
  #failure: { reason: unknown } | undefined;

  constructor(reader: EventReader) {
    this.#reader = reader;
  }

  /** True once the last chunk was returned. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Returns the chunks of the next bytes. `throwFailure` throws the error that followed them. */
  push(bytes: Uint8Array): ModelChunk[] {
    const chunks: ModelChunk[] = [];
    try {
      for (const event of this.#parser.push(bytes)) {
        this.#isComplete = this.#reader.read(event, chunks);
        if (this.#isComplete) break;
      }
    } catch (reason) {
      this.#failure = { reason };
    }
    return chunks;
  }

  /** Throws the error that followed the chunks of the last `push`. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Returns the last chunks after the last bytes. Throws when the answer is not complete. */
  finish(): ModelChunk[] {
    const chunks: ModelChunk[] = [];
    this.#reader.end(chunks);
    this.#isComplete = true;
    return chunks;
  }
}

import { SseParser } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import { EventReader } from "./from-events.ts";
import type { WireAnswer } from "./wire-types.ts";

/** Image models send a picture in one event. */
const maxEventBytes = 33_554_432;

/**
 * Parses the bytes of one streamed answer (SSE) and returns the chunks of each piece. An error in the stream is kept
 * until `throwFailure`, so that the chunks before it are delivered first.
 */
export class StreamReader {
  readonly #parser = new SseParser({ maxEventBytes });
  readonly #answer: EventReader;
  #failure: { thrown: unknown } | undefined;

  constructor(model: { providerId: string; modelId: string }) {
    this.#answer = new EventReader(model);
  }

  /** Returns the chunks of the next bytes. Not a generator, which would double the cost. */
  push(bytes: Uint8Array): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    try {
      for (const { data } of this.#parser.push(bytes)) this.#answer.read(JSON.parse(data) as WireAnswer, chunks);
    } catch (thrown) {
      this.#failure = { thrown };
    }
    return chunks;
  }

  /** Throws the error that followed the chunks of the last `push`. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** Returns the last chunk, after the last bytes: only then is the answer known to be complete. */
  finish(): ModelChunk {
    return this.#answer.finish();
  }
}

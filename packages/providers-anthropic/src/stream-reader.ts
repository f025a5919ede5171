import { SseParser } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import { EventReader } from "./from-events.ts";
import type { WireEvent } from "./wire-types.ts";

/**
 * Parses the bytes of one streamed answer (SSE) and returns the chunks of each piece. An error in the stream is kept
 * until `throwFailure`, so that the chunks before it are delivered first.
 */
export class StreamReader {
  readonly #parser = new SseParser();
  readonly #events: EventReader;
  #failure: { thrown: unknown } | undefined;

  constructor(model: { providerId: string; modelId: string }) {
    this.#events = new EventReader(model);
  }

  /** True once the end of the answer was read. */
  get isComplete(): boolean {
    return this.#events.isComplete;
  }

  /** Throws the error that followed the chunks of the last `push`. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** Returns the chunks of the next bytes. Not a generator, which would double the cost. Some gateways add events after the end; they are ignored. */
  push(bytes: Uint8Array): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    try {
      for (const { data } of this.#parser.push(bytes)) {
        if (this.isComplete) break;
        for (const chunk of this.#events.read(JSON.parse(data) as WireEvent)) chunks.push(chunk);
      }
    } catch (thrown) {
      this.#failure = { thrown };
    }
    return chunks;
  }
}

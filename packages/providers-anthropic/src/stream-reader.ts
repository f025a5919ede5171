import { SseParser } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import { EventReader } from "./from-events.ts";
import type { WireEvent } from "./wire-types.ts";

/** Reads the chunks of one answer from its bytes, however they are cut. */
export class StreamReader {
  readonly #parser = new SseParser();
  readonly #events: EventReader;
  #failure: { thrown: unknown } | undefined;

  constructor(model: { providerId: string; modelId: string }) {
    this.#events = new EventReader(model);
  }

  /** Whether the answer has come to its proper end. */
  get isComplete(): boolean {
    return this.#events.isComplete;
  }

  /** Throws what went wrong behind the chunks that were given last. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /**
   * The chunks that the next bytes amount to, all at once, since a generator would cost as much as the reading. What
   * follows the end is passed over unread: some gateways have a last word of their own.
   */
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

import { SseParser } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import type { EventReader } from "./call.ts";

/** The end of an answer repeats all of it, with what the vendor encrypted. */
const maxEventBytes = 16_777_216;

/** One answer on its way: bytes in, chunks out. */
export class StreamedAnswer {
  readonly #parser = new SseParser({ maxEventBytes });
  readonly #reader: EventReader;
  #isComplete = false;
  #failure: { reason: unknown } | undefined;

  constructor(reader: EventReader) {
    this.#reader = reader;
  }

  /** Whether the last chunk has been given. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The chunks that are whole with these bytes. What failed behind them is thrown by `check`, once they are given. */
  read(bytes: Uint8Array): ModelChunk[] {
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

  /** Throws what reading failed with. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** The last chunks of an answer whose bytes have ended. One that is not complete is an error. */
  end(): ModelChunk[] {
    const chunks: ModelChunk[] = [];
    this.#reader.end(chunks);
    this.#isComplete = true;
    return chunks;
  }
}

import { SseParser } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import { AnswerReader } from "./answer-reader.ts";
import type { WireAnswer } from "./wire-types.ts";

/** A model that draws sends its pictures in one piece. */
const maxEventBytes = 33_554_432;

/** Reads the chunks of one answer from its bytes, however they are cut. */
export class StreamReader {
  readonly #parser = new SseParser({ maxEventBytes });
  readonly #answer: AnswerReader;
  #failure: { thrown: unknown } | undefined;

  constructor(model: { providerId: string; modelId: string }) {
    this.#answer = new AnswerReader(model);
  }

  /** The chunks that the next bytes amount to, all at once, since a generator would cost as much as the reading. */
  push(bytes: Uint8Array): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    try {
      for (const { data } of this.#parser.push(bytes)) this.#answer.read(JSON.parse(data) as WireAnswer, chunks);
    } catch (thrown) {
      this.#failure = { thrown };
    }
    return chunks;
  }

  /** Throws what went wrong behind the chunks that were given last. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** The last chunk, once the bytes have ended: nothing before that says that there is no more. */
  finish(): ModelChunk {
    return this.#answer.finish();
  }
}

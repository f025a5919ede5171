import { setTimeout as sleep } from "node:timers/promises";
import type { ModelProvider } from "@troupe/core";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";

const usage = { promptTokens: 12, completionTokens: 200, totalTokens: 212 };

/** A model whose answers come in chunks at a fixed pace. The text of each chunk is the time at which it was given. */
export class PacedModel implements ModelProvider {
  readonly providerId = "paced";
  readonly modelId = "paced-1";
  readonly #chunks: number;
  readonly #everyMs: number;

  /** @param everyMs milliseconds before each chunk; 0 for all chunks at once */
  constructor(chunks: number, everyMs: number) {
    this.#chunks = chunks;
    this.#everyMs = everyMs;
  }

  async generate(): Promise<ModelResponse> {
    return { text: "Hello.", toolCalls: [], usage, finishReason: "stop" };
  }

  async *stream(): AsyncGenerator<ModelChunk> {
    for (let chunk = 0; chunk < this.#chunks; chunk++) {
      if (this.#everyMs > 0) await sleep(this.#everyMs);
      yield { type: "text", text: `${performance.now().toFixed(3)} ` };
    }
    yield { type: "finish", finishReason: "stop", usage };
  }
}

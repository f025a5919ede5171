import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "@troupe-internal/fault-tools";
import type { ModelProvider } from "@troupe/core";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { machineTimeMs } from "./machine-time.ts";
import { writeToken } from "./token.ts";

const usage = { promptTokens: 12, completionTokens: 200, totalTokens: 212 };

/** A model whose answers have a token at each tick of a clock until they are stopped. */
export class TickingModel implements ModelProvider {
  readonly providerId = "ticking";
  readonly modelId = "ticking-1";
  readonly #everyMs: number;
  readonly #random = seededRandom(1);
  #isStopped = false;

  /** @param everyMs milliseconds between two tokens of an answer */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Ends all answers. */
  stop(): void {
    this.#isStopped = true;
  }

  async generate(): Promise<ModelResponse> {
    return { text: "Hello.", toolCalls: [], usage, finishReason: "stop" };
  }

  async *stream(): AsyncGenerator<ModelChunk> {
    // The clocks of several answers do not tick at the same moment.
    const firstMs = machineTimeMs() + this.#random() * this.#everyMs;
    for (let number = 1; !this.#isStopped; number++) {
      // By the time of the first tick: a token that came late does not delay the others.
      const dueMs = firstMs + (number - 1) * this.#everyMs;
      const leftMs = dueMs - machineTimeMs();
      if (leftMs > 0) await sleep(leftMs);
      const givenMs = machineTimeMs();
      yield { type: "text", text: writeToken({ number, givenMs, lateMs: givenMs - dueMs }) };
    }
    yield { type: "finish", finishReason: "stop", usage };
  }
}

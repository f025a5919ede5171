import type { ModelProvider } from "@troupe/core";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";

const usage = { promptTokens: 12, completionTokens: 200, totalTokens: 212 };
const words = Array.from({ length: 200 }, (_, at) => `word${at} `);
const answer: ModelResponse = { text: words.join(""), toolCalls: [], usage, finishReason: "stop" };
const toolCalls = [{ id: "call_1", name: "weather", arguments: { city: "Oslo" } }];
const asking: ModelResponse = { text: "", toolCalls, usage, finishReason: "tool_calls" };

/** A model that gives the same answer at once, so that only the code around it is measured. */
export class FixedModel implements ModelProvider {
  readonly providerId = "fixed";
  readonly modelId = "fixed-1";
  readonly #asksForTool: boolean;

  constructor({ asksForTool = false } = {}) {
    this.#asksForTool = asksForTool;
  }

  async generate(messages: readonly { role: string }[]): Promise<ModelResponse> {
    const isFirst = messages.at(-1)?.role === "user";
    return this.#asksForTool && isFirst ? asking : answer;
  }

  async *stream(): AsyncGenerator<ModelChunk> {
    for (const text of words) yield { type: "text", text };
    yield { type: "finish", finishReason: "stop", usage };
  }
}

/** The fixed model with a string of its own in each answer, as a vendor's answers have. */
export class CopyingModel extends FixedModel {
  readonly #bytes = Buffer.from(answer.text);

  override async generate(): Promise<ModelResponse> {
    return { ...answer, text: this.#bytes.toString("utf8") };
  }
}

import { TroupeError } from "@troupe/core";
import type { ChatMessage, ModelOptions, ModelProvider, ModelResponse, TokenUsage } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import { seededRandom } from "@troupe-internal/fault-tools";
import type { ModelChunk } from "@troupe/core/provider";

/**
 * A vendor that answers at random: with tool calls, answers that do not fit their schema, failures that may be tried
 * again, and streams that break off. It bills every answer that it has delivered to its end.
 */
export class BilledModel implements ModelProvider {
  readonly providerId = "openai";
  readonly modelId = "billed-1";
  readonly #random: () => number;
  readonly #fitsSchema: boolean;
  #bill: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

  constructor(seed: number, fitsSchema: boolean) {
    this.#random = seededRandom(seed);
    this.#fitsSchema = fitsSchema;
  }

  /** Returns a sum with the tokens of this vendor's bill added. */
  addBill(sum: TokenUsage): TokenUsage {
    const { promptTokens, completionTokens, totalTokens } = this.#bill;
    return {
      promptTokens: sum.promptTokens + promptTokens,
      completionTokens: sum.completionTokens + completionTokens,
      totalTokens: sum.totalTokens + totalTokens,
    };
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    const draw = this.#random();
    for (let turn = Math.floor(this.#random() * 4); turn > 0; turn--)
      await new Promise((resolve) => setImmediate(resolve));
    options.signal?.throwIfAborted();
    if (draw < 0.15) throw Object.assign(new Error("The connection was reset."), { code: "ECONNRESET" });
    if (draw < 0.2) throw new TroupeError("model_failed", "The vendor refuses.");
    const { tools = [], toolChoice } = options;
    const tool = draw < 0.5 && toolChoice !== "none" ? tools[Math.floor(this.#random() * tools.length)] : undefined;
    if (tool !== undefined) {
      const id = `call_${Math.floor(this.#random() * 1e9)}`;
      yield { type: "tool_call_start", toolCall: { id, name: tool.name } };
      yield { type: "tool_call_delta", toolCallId: id, argumentsDelta: JSON.stringify(argumentsFor(tool.parameters)) };
      yield { type: "tool_call_end", toolCallId: id };
    } else yield { type: "text", text: this.#answer(messages) };
    // A stream that breaks off has no usage, and its vendor bills none here.
    if (draw > 0.95) throw new TroupeError("model_failed", "The stream broke off.");
    options.signal?.throwIfAborted();
    const usage = this.#usage();
    yield { type: "finish", finishReason: tool === undefined ? "stop" : "tool_calls", usage };
  }

  #answer(messages: readonly ChatMessage[]): string {
    const asked = JSON.stringify(messages[0]?.content ?? "");
    if (asked.includes("Pick the one member"))
      return JSON.stringify({ member: this.#random() < 0.8 ? "one" : "nobody" });
    return this.#fitsSchema && this.#random() < 0.7 ? '{"city":"Oslo"}' : "Oslo it is.";
  }

  #usage(): TokenUsage {
    const [promptTokens, completionTokens] = [this.#draw(), this.#draw()];
    const usage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
    this.#bill = this.addBill(usage);
    return usage;
  }

  #draw(): number {
    return Math.floor(this.#random() * 1000);
  }
}

/** Returns arguments that fit the schema of a tool: a string for each required property. */
function argumentsFor(parameters: Record<string, unknown>): Record<string, unknown> {
  const required = Array.isArray(parameters["required"]) ? (parameters["required"] as string[]) : [];
  return Object.fromEntries(required.map((name) => [name, "a task"]));
}

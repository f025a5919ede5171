import { TroupeError } from "@troupe/core";
import type { ChatMessage, ModelOptions, ModelProvider, ModelResponse, TokenUsage, ToolSpec } from "@troupe/core";
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
    await turns(Math.floor(this.#random() * 4));
    options.signal?.throwIfAborted();
    if (draw < 0.15) throw Object.assign(new Error("The connection was reset."), { code: "ECONNRESET" });
    if (draw < 0.25) throw new TroupeError("model_failed", "The vendor refuses.");
    // An empty answer is billed too, also if another model answers in its place, or none does.
    if (draw < 0.35) {
      yield { type: "finish", finishReason: "error", usage: this.#usage() };
      return;
    }
    const tool = this.#chooseTool(draw, options);
    yield* tool === undefined ? [{ type: "text" as const, text: this.#answer(messages) }] : this.#call(tool);
    // A stream that breaks off has no usage, and its vendor bills none here.
    if (draw > 0.95) throw new TroupeError("model_failed", "The stream broke off.");
    options.signal?.throwIfAborted();
    yield { type: "finish", finishReason: tool === undefined ? "stop" : "tool_calls", usage: this.#usage() };
  }

  #chooseTool(draw: number, { tools = [], toolChoice }: ModelOptions): ToolSpec | undefined {
    if (draw > 0.55 || toolChoice === "none") return undefined;
    return tools[Math.floor(this.#random() * tools.length)];
  }

  *#call({ name, parameters }: ToolSpec): Generator<ModelChunk> {
    const id = `call_${Math.floor(this.#random() * 1e9)}`;
    yield { type: "tool_call_start", toolCall: { id, name } };
    yield { type: "tool_call_delta", toolCallId: id, argumentsDelta: JSON.stringify(argumentsFor(parameters)) };
    yield { type: "tool_call_end", toolCallId: id };
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

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns arguments that fit the schema of a tool: a string for each required property. */
function argumentsFor(parameters: Record<string, unknown>): Record<string, unknown> {
  const required = Array.isArray(parameters["required"]) ? (parameters["required"] as string[]) : [];
  return Object.fromEntries(required.map((name) => [name, "a task"]));
}

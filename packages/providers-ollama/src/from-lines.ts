import type { FinishReason, TokenUsage } from "@troupe/core";
import { createId, getOwn } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import { keepThinking } from "./kept-thinking.ts";
import { VendorFailure } from "./vendor-failure.ts";
import type { ToldCall, WireLine } from "./wire-types.ts";

/** Turns the lines of one answer into chunks. */
export class LineReader {
  readonly #modelId: string;
  readonly #ids = new Set<string>();
  #thinking = "";
  #isComplete = false;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  /** Whether the answer has come to its proper end. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Adds the chunks that a line amounts to. One that tells of a failure throws. */
  read(line: WireLine, chunks: ModelChunk[]): void {
    // Its status has gone out long before; the server itself calls such failures its own.
    if ((line.error ?? undefined) !== undefined) throw new VendorFailure(500, line.error);
    const { thinking, content, tool_calls: calls } = line.message ?? {};
    if (thinking) {
      this.#thinking += thinking;
      chunks.push({ type: "thinking", text: thinking });
    }
    if (content) chunks.push({ type: "text", text: content });
    for (const call of calls ?? []) this.#readCall(call, chunks);
    if (line.done === true) chunks.push(this.#finish(line));
  }

  /** Calls come whole. */
  #readCall({ id: given, function: { name, arguments: args } }: ToldCall, chunks: ModelChunk[]): void {
    const id = !given || this.#ids.has(given) ? createId() : given;
    this.#ids.add(id);
    chunks.push(
      { type: "tool_call_start", toolCall: { id, name } },
      { type: "tool_call_delta", toolCallId: id, argumentsDelta: JSON.stringify(args ?? {}) },
      { type: "tool_call_end", toolCallId: id },
    );
  }

  #finish(line: WireLine): ModelChunk {
    this.#isComplete = true;
    const { model } = line;
    const reason = line.done_reason ?? "stop";
    const finishReason = reason === "stop" && this.#ids.size > 0 ? "tool_calls" : (getOwn(reasons, reason) ?? "other");
    return {
      type: "finish",
      finishReason,
      usage: toUsage(line),
      ...(model !== undefined && { model }),
      ...keepThinking(this.#thinking, this.#modelId),
    };
  }
}

const reasons: Readonly<Record<string, FinishReason>> = { stop: "stop", length: "length" };

/** The tokens of an answer. What the server counts and measures stands among the rest of its last line. */
function toUsage(line: WireLine): TokenUsage {
  const { model: _, created_at: __, message: ___, done: ____, done_reason: _____, ...providerMetrics } = line;
  const [promptTokens, completionTokens] = [line.prompt_eval_count ?? 0, line.eval_count ?? 0];
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, providerMetrics };
}

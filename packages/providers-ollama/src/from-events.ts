import type { FinishReason, TokenUsage } from "@troupe/core";
import { createId, getOwn } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import { toVendorState } from "./replay.ts";
import { VendorError } from "./vendor-error.ts";
import type { WireAnswerCall, WireLine } from "./wire-types.ts";

/**
 * Converts the lines (NDJSON) of one streamed answer to chunks. Collects its thinking as `vendorState`, which the next
 * model call of the run sends back.
 */
export class EventReader {
  readonly #modelId: string;
  readonly #ids = new Set<string>();
  #thinking = "";
  #isComplete = false;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  /** True once the end of the answer was read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Appends the chunks of a line. Throws when the line is an error. */
  read(line: WireLine, chunks: ModelChunk[]): void {
    // The status was sent before; the server reports such errors as its own.
    if ((line.error ?? undefined) !== undefined) throw new VendorError(500, line.error);
    const { thinking, content, tool_calls: calls } = line.message ?? {};
    if (thinking) {
      this.#thinking += thinking;
      chunks.push({ type: "thinking", text: thinking });
    }
    if (content) chunks.push({ type: "text", text: content });
    for (const call of calls ?? []) this.#readCall(call, chunks);
    if (line.done === true) chunks.push(this.#finish(line));
  }

  /** A call comes in one line. */
  #readCall({ id: given, function: { name, arguments: args } }: WireAnswerCall, chunks: ModelChunk[]): void {
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
    const vendorState = toVendorState(this.#thinking, this.#modelId);
    return {
      type: "finish",
      finishReason,
      usage: toUsage(line),
      ...(model !== undefined && { model }),
      ...(vendorState !== undefined && { vendorState }),
    };
  }
}

const reasons: Readonly<Record<string, FinishReason>> = { stop: "stop", length: "length" };

/** Converts the usage, which is in the last line. */
function toUsage(line: WireLine): TokenUsage {
  const { model: _, created_at: __, message: ___, done: ____, done_reason: _____, ...providerMetrics } = line;
  const [promptTokens, completionTokens] = [line.prompt_eval_count ?? 0, line.eval_count ?? 0];
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, providerMetrics };
}

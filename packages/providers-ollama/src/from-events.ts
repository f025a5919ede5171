import type { FinishReason, TokenUsage } from "@troupe/core";
import { createId, getOwn, readObject, readObjects, readText } from "@troupe/core/kit";
import { readUsage, TruncatedResponseError, stringifyArguments } from "@troupe/core/provider";
import type { EventReader, ModelChunk } from "@troupe/core/provider";
import { toVendorError } from "./errors.ts";
import { toVendorState } from "./replay.ts";
import type { WireAnswerCall, WireLine } from "./wire-types.ts";

/**
 * Converts the lines (NDJSON) of one streamed answer to chunks. Collects its thinking as `vendorState`, which the run's
 * next model call sends back.
 */
export class OllamaEventReader implements EventReader<WireLine> {
  readonly #model: { modelId: string };
  readonly #ids = new Set<string>();
  #thinking = "";
  #skippedCalls = 0;
  #isComplete = false;

  constructor(model: { modelId: string }) {
    this.#model = model;
  }

  /** True once the end of the answer was read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Appends the chunks of one line of Ollama's answer. Throws if the line is an error. */
  read(line: WireLine, chunks: ModelChunk[]): void {
    // The HTTP status was sent before this error occurred, so the error counts as a failure of the server (500).
    if ((line.error ?? undefined) !== undefined) throw toVendorError(line);
    const message = readObject(line.message);
    const [thinking, text] = [readText(message["thinking"]), readText(message["content"])];
    if (thinking !== "") {
      this.#thinking += thinking;
      chunks.push({ type: "thinking", text: thinking });
    }
    if (text !== "") chunks.push({ type: "text", text });
    if (message["tool_calls"]) for (const call of readObjects(message["tool_calls"])) this.#readCall(call, chunks);
    if (line.done === true) chunks.push(this.#finish(line));
  }

  /** Always throws `TruncatedResponseError`: only the last line of a stream completes an answer. */
  end(): void {
    throw new TruncatedResponseError();
  }

  /** Reads a tool call, which arrives in one line. A call without a name can neither be executed nor sent back. */
  #readCall(call: WireAnswerCall, chunks: ModelChunk[]): void {
    const { name: given, arguments: args } = readObject(call.function);
    const [name, givenId] = [readText(given), readText(call.id)];
    if (name === "") {
      this.#skippedCalls += 1;
      return;
    }
    const id = givenId === "" || this.#ids.has(givenId) ? createId() : givenId;
    this.#ids.add(id);
    chunks.push(
      { type: "tool_call_start", toolCall: { id, name } },
      { type: "tool_call_delta", toolCallId: id, argumentsDelta: argumentsText(args) },
      { type: "tool_call_end", toolCallId: id },
    );
  }

  #finish(line: WireLine): ModelChunk {
    this.#isComplete = true;
    const model = readText(line.model);
    const reason = readText(line.done_reason) || "stop";
    const finishReason = reason === "stop" && this.#ids.size > 0 ? "tool_calls" : (getOwn(reasons, reason) ?? "other");
    const vendorState = toVendorState(this.#thinking, this.#model);
    return {
      type: "finish",
      finishReason,
      ...toUsage(line),
      ...(model !== "" && { model }),
      ...(vendorState !== undefined && { vendorState }),
      ...(this.#skippedCalls > 0 && { skippedCalls: this.#skippedCalls }),
    };
  }
}

const reasons: Readonly<Record<string, FinishReason>> = { stop: "stop", length: "length" };

/** Returns the arguments of a tool call as JSON text. Servers other than Ollama already send them as text. */
function argumentsText(args: unknown): string {
  return typeof args === "string" ? args : stringifyArguments(args);
}

/** Reads the token usage of an answer, which is in its last line. */
function toUsage(line: WireLine): { usage?: TokenUsage } {
  const { model: _, created_at: __, message: ___, done: ____, done_reason: _____, ...metrics } = line;
  const toCounts = () => ({ promptTokens: line.prompt_eval_count, completionTokens: line.eval_count });
  const usage = readUsage(metrics, toCounts);
  return usage === undefined ? {} : { usage };
}

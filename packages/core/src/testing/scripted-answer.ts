import type { ModelMessage } from "../model/vendor-state.ts";
import type { Source } from "../base/message/source.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import type { ModelCallOptions } from "../model/model-config.ts";
import type { FinishReason, ModelChunk } from "../model/model-chunk.ts";

/** One answer of a `ScriptedModel`. A string is a text answer. */
export type ScriptedAnswer =
  | string
  | {
      /** Text of the answer. A string is streamed word by word, an array piece by piece. */
      text?: string | readonly string[];
      thinking?: string | readonly string[];
      /** Sources of the answer, streamed after its text. */
      sources?: readonly Source[];
      /** Tool calls. Calls without an id get "1", "2", … A string as arguments is streamed unchanged. */
      toolCalls?: readonly { id?: string; name: string; arguments?: Record<string, unknown> | string }[];
      /** A value that the model answers with, as JSON. */
      structured?: unknown;
      /** Error that the model throws after all chunks of the answer. */
      error?: Error;
      /** The usage of the answer. @default { promptTokens: 10, completionTokens: 5, totalTokens: 15 } */
      usage?: TokenUsage;
      /** The finish reason of the answer. @default "stop", or "tool_calls" with tool calls */
      finishReason?: FinishReason;
      responseId?: string;
      /** Vendor state that the model receives with the next call of the run. */
      vendorState?: unknown;
      /** Vendor state that the model also receives with later turns of the session. */
      storedVendorState?: unknown;
      /** Milliseconds before the first chunk of the answer. */
      delayMs?: number;
      /** Milliseconds between two chunks of the answer. */
      chunkDelayMs?: number;
      /** True if the model never answers: the call ends only when its signal aborts. */
      hang?: boolean;
    };

/** Messages and options that a `ScriptedModel` was called with. */
export type ScriptedRequest = { messages: readonly ModelMessage[]; options: ModelCallOptions };

/** Usage that a `ScriptedModel` reports for an answer that does not set its usage. */
export const scriptedUsage: TokenUsage = Object.freeze({ promptTokens: 10, completionTokens: 5, totalTokens: 15 });

type AnswerObject = Exclude<ScriptedAnswer, string>;

/** Returns a scripted answer in its object form: a string becomes `{ text }`. */
export function toAnswerObject(answer: ScriptedAnswer): AnswerObject {
  return typeof answer === "string" ? { text: answer } : answer;
}

/**
 * Yields the chunks of a scripted answer without waiting, with `finish` as the last. If the answer has an error, throws
 * it instead of yielding `finish`.
 */
export function* scriptedChunks(answer: ScriptedAnswer): Generator<ModelChunk, void, undefined> {
  const spelled = toAnswerObject(answer);
  yield* answerChunks(spelled);
  if (spelled.error !== undefined) throw spelled.error;
  yield { type: "finish", finishReason: finishReasonOf(spelled), usage: spelled.usage ?? scriptedUsage };
}

/** Yields the chunks of a scripted answer except `finish`. */
export function* answerChunks(answer: AnswerObject): Generator<ModelChunk> {
  for (const text of pieces(answer.thinking)) yield { type: "thinking", text };
  for (const text of pieces(answer.text)) yield { type: "text", text };
  if (answer.structured !== undefined) yield { type: "text", text: JSON.stringify(answer.structured) };
  for (const source of answer.sources ?? []) yield { type: "source", ...source };
  for (const [index, call] of (answer.toolCalls ?? []).entries()) yield* callChunks(call.id ?? String(index + 1), call);
}

/** Returns the finish reason of a scripted answer: its own, or else `tool_calls` with tool calls, or else `stop`. */
export function finishReasonOf(answer: AnswerObject): FinishReason {
  return answer.finishReason ?? ((answer.toolCalls ?? []).length > 0 ? "tool_calls" : "stop");
}

function* callChunks(
  id: string,
  call: { name: string; arguments?: Record<string, unknown> | string },
): Generator<ModelChunk> {
  const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {});
  const middle = Math.ceil(text.length / 2);
  yield { type: "tool_call_start", toolCall: { id, name: call.name } };
  for (const argumentsDelta of [text.slice(0, middle), text.slice(middle)]) {
    if (argumentsDelta !== "") yield { type: "tool_call_delta", toolCallId: id, argumentsDelta };
  }
  yield { type: "tool_call_end", toolCallId: id };
}

/** Splits a string into words, each with the space after it. Returns an array unchanged. */
function pieces(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return [];
  return typeof text === "string" ? (text.match(/\S+\s*|\s+/g) ?? []) : text;
}

import type { ModelMessage } from "../model/vendor-state.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import type { ModelOptions } from "../model/model-config.ts";
import type { FinishReason, ModelChunk } from "../model/model-chunk.ts";

/** What a model answers once. A string is an answer of text. */
export type ScriptedTurn =
  | string
  | {
      /** Streamed word by word; a list is streamed piece by piece, as it stands. */
      text?: string | readonly string[];
      thinking?: string | readonly string[];
      /** Calls are given the ids "1", "2", … when they have none. Arguments as text are streamed as they stand. */
      toolCalls?: readonly { id?: string; name: string; arguments?: Record<string, unknown> | string }[];
      /** An answer of JSON. */
      structured?: unknown;
      /** Thrown when everything before it has been said. */
      error?: Error;
      /** @default { promptTokens: 10, completionTokens: 5, totalTokens: 15 } */
      usage?: TokenUsage;
      /** @default "stop", or "tool_calls" when there are any */
      finishReason?: FinishReason;
      responseId?: string;
      /** What this model wants back with the next call of the run. */
      vendorState?: unknown;
      /** How long the model thinks before the first chunk. */
      delayMs?: number;
      /** How long it takes between two chunks. */
      chunkDelayMs?: number;
      /** Never answers: the call ends with its signal alone. */
      hang?: boolean;
    };

/** What a model was asked. */
export type ScriptedRequest = { messages: readonly ModelMessage[]; options: ModelOptions };

/** What every answer costs that does not say otherwise. */
export const scriptedUsage: TokenUsage = Object.freeze({ promptTokens: 10, completionTokens: 5, totalTokens: 15 });

type SpelledTurn = Exclude<ScriptedTurn, string>;

/** The turn with all that a string leaves out. */
export function spellOut(turn: ScriptedTurn): SpelledTurn {
  return typeof turn === "string" ? { text: turn } : turn;
}

/** The whole turn as a model without time would stream it; the turn's error is thrown in its place. */
export function* scriptedChunks(turn: ScriptedTurn): Generator<ModelChunk, void, undefined> {
  const spelled = spellOut(turn);
  yield* turnChunks(spelled);
  if (spelled.error !== undefined) throw spelled.error;
  yield { type: "finish", finishReason: finishReasonOf(spelled), usage: spelled.usage ?? scriptedUsage };
}

/** The chunks of a turn, but for the last: `finish`. */
export function* turnChunks(turn: SpelledTurn): Generator<ModelChunk> {
  for (const text of pieces(turn.thinking)) yield { type: "thinking", text };
  for (const text of pieces(turn.text)) yield { type: "text", text };
  if (turn.structured !== undefined) yield { type: "text", text: JSON.stringify(turn.structured) };
  for (const [index, call] of (turn.toolCalls ?? []).entries()) yield* callChunks(call.id ?? String(index + 1), call);
}

/** The reason a turn ends with. */
export function finishReasonOf(turn: SpelledTurn): FinishReason {
  return turn.finishReason ?? ((turn.toolCalls ?? []).length > 0 ? "tool_calls" : "stop");
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

/** Words with the space behind them; a list as it stands. */
function pieces(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return [];
  return typeof text === "string" ? (text.match(/\S+\s*|\s+/g) ?? []) : text;
}

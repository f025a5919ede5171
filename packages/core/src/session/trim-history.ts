import type { ChatMessage } from "../message/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { splitBefore } from "./split-before.ts";

/** How much history a model is given. */
export type HistoryLimits = {
  /** At most so many turns. */
  maxTurns?: number | undefined;
  /** All that the model is sent, in tokens. */
  maxContextTokens?: number | undefined;
  /** What of that is taken by other things: instructions, tools, the new input. @default 0 */
  reservedTokens?: number | undefined;
};

/**
 * Leaves the newest turns that fit, whole and oldest dropped first; a history that fits is returned as it is. A turn
 * begins where the user speaks, so what remains begins so too, and no call is parted from its result. Instructions in
 * front stay. The history must be one that vendors take (see `repairHistory`), and so is what remains.
 *
 * When the newest turn does not fit by itself, what remains of it is what the user said and the newest steps that do; a
 * step is one message of the assistant with the results of what it asked for. When not even one step fits, nothing does.
 */
export function trimHistory(messages: readonly ChatMessage[], limits: HistoryLimits): readonly ChatMessage[] {
  const { maxTurns = Infinity, maxContextTokens = Infinity, reservedTokens = 0 } = limits;
  const firstTurn = messages.findIndex(({ role }) => role === "user");
  if (firstTurn === -1) return messages;
  const instructions = messages.slice(0, firstTurn);
  const room = maxContextTokens - reservedTokens - estimateTokens(instructions);
  const turns = splitBefore(messages.slice(firstTurn), "user");
  const kept = newestThatFit(turns.slice(maxTurns === 0 ? turns.length : -maxTurns), room);
  const newest = turns.at(-1);
  if (kept.length === turns.length) return messages;
  if (kept.length > 0 || newest === undefined || maxTurns === 0) return [...instructions, ...kept.flat()];
  return [...instructions, ...shorten(newest, room)];
}

/** What the user said and the newest steps. */
function shorten([input, ...answer]: ChatMessage[], room: number): ChatMessage[] {
  if (input === undefined) return [];
  const steps = newestThatFit(splitBefore(answer, "assistant"), room - estimateTokens([input]));
  return steps.length === 0 ? [] : [input, ...steps.flat()];
}

function newestThatFit(groups: readonly ChatMessage[][], room: number): ChatMessage[][] {
  let left = room;
  let first = groups.length;
  while (first > 0) {
    left -= estimateTokens(groups[first - 1] ?? []);
    if (left < 0) break;
    first--;
  }
  return groups.slice(first);
}

import type { ChatMessage } from "../../base/message/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** Limits of the history that a model is given. */
export type HistoryLimits = {
  /** Number of turns. */
  maxTurns?: number | undefined;
  /** True for a number of turns that is kept exactly, since the user has chosen it: none are left out to fill a block. */
  isExact?: boolean | undefined;
  /** The place of the last turn in its whole conversation, from 1. @default the number of turns in the history */
  lastTurn?: number | undefined;
  /** Tokens of all that the model is sent. */
  maxContextTokens?: number | undefined;
  /** Tokens of `maxContextTokens` that other things take: instructions, tools, the new input. @default 0 */
  reservedTokens?: number | undefined;
};

/**
 * Keeps the newest whole turns that fit, and returns a history that fits as the same array. A turn begins with a user
 * message, so no call is parted from its result. Leading instructions stay. The history must be one that vendors accept
 * (see `repairHistory`), and so is the result.
 *
 * Turns are left out in blocks, by their place in the conversation: a history that begins elsewhere in each run is never
 * found in a vendor's prompt cache. So up to a quarter of the turns that would fit are left out too, unless the number of
 * turns is exact.
 *
 * When the newest turn alone does not fit, its user message is kept with the newest steps that fit; a step is one message
 * of the assistant with the results of its calls. When not even one step fits, nothing of it is kept.
 */
export function trimHistory(messages: readonly ChatMessage[], limits: HistoryLimits): readonly ChatMessage[] {
  const { maxContextTokens = Infinity, reservedTokens = 0 } = limits;
  const firstTurn = messages.findIndex(({ role }) => role === "user");
  if (firstTurn === -1) return messages;
  const instructions = messages.slice(0, firstTurn);
  const room = maxContextTokens - reservedTokens - estimateTokens(instructions);
  const turns = splitBefore(messages.slice(firstTurn), "user");
  const kept = turnsWithin(turns, limits, room);
  const newest = turns.at(-1);
  if (kept.length === turns.length) return messages;
  if (kept.length > 0 || newest === undefined || limits.maxTurns === 0) return [...instructions, ...kept.flat()];
  return [...instructions, ...shorten(newest, room)];
}

function turnsWithin(
  turns: ChatMessage[][],
  { maxTurns = Infinity, isExact = false, lastTurn = turns.length }: HistoryLimits,
  room: number,
): ChatMessage[][] {
  const before = lastTurn - turns.length;
  const counted = isExact ? turns.slice(Math.max(0, turns.length - maxTurns)) : inBlocks(turns, maxTurns, before);
  const fitting = newestThatFit(counted, room).length;
  return fitting === counted.length ? counted : newestInBlocks(turns, fitting, before);
}

function inBlocks(turns: ChatMessage[][], maxTurns: number, before: number): ChatMessage[][] {
  return turns.length < maxTurns ? turns : newestInBlocks(turns, maxTurns, before);
}

/**
 * Returns at most so many of the newest groups of messages, beginning where a block begins. A block has up to a quarter of
 * them, and their number is a power of two, so that a smaller block begins wherever a larger one does. `before` is the
 * number of groups before these.
 */
export function newestInBlocks(groups: readonly ChatMessage[][], most: number, before = 0): ChatMessage[][] {
  const block = Math.max(1, 2 ** Math.floor(Math.log2(most / 4)));
  const first = before + groups.length - most;
  return groups.slice(Math.ceil(first / block) * block - before);
}

/**
 * Splits messages into groups that each begin with a message of this role: turns by "user", steps by "assistant".
 * Messages before the first such message are a group too.
 */
export function splitBefore(messages: readonly ChatMessage[], role: "user" | "assistant"): ChatMessage[][] {
  const groups: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === role || groups.length === 0) groups.push([message]);
    else groups.at(-1)?.push(message);
  }
  return groups;
}

/** Keeps the user message and the newest steps. */
function shorten([input, ...answer]: ChatMessage[], room: number): ChatMessage[] {
  if (input === undefined) return [];
  const steps = newestThatFit(splitBefore(answer, "assistant"), room - estimateTokens([input]));
  return steps.length === 0 ? [] : [input, ...steps.flat()];
}

/** Returns the newest groups of messages whose estimated tokens together fit the room. */
export function newestThatFit(groups: readonly ChatMessage[][], room: number): ChatMessage[][] {
  let left = room;
  let first = groups.length;
  while (first > 0) {
    left -= estimateTokens(groups[first - 1] ?? []);
    if (left < 0) break;
    first--;
  }
  return groups.slice(first);
}

import type { ChatMessage } from "../../base/message/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** Limits of the history that is sent to a model. */
export type HistoryLimits = {
  /** The maximum number of turns in the history. */
  maxTurns?: number | undefined;
  /**
   * True to keep exactly `maxTurns` turns, because the user chose the number. By default up to a quarter fewer are
   * kept, for vendors' prompt caches (see `trimHistory`). A history beyond `maxContextTokens` is always reduced in that
   * way.
   */
  isExact?: boolean | undefined;
  /**
   * The number of the last turn, counted from 1 in the whole conversation. @default the number of turns in the history
   */
  lastTurn?: number | undefined;
  /** The maximum number of tokens in the whole request. */
  maxContextTokens?: number | undefined;
  /**
   * Tokens of `maxContextTokens` that other parts of the request need: instructions, tools, the new input. @default 0
   */
  reservedTokens?: number | undefined;
};

/**
 * Returns the newest whole turns of a history that fit the limits. A history that fits is returned as the same array. A
 * turn begins with a user message, so calls stay with their results. Leading system messages stay. The history must be
 * acceptable to vendors (see `repairHistory`), and so is the result.
 *
 * Turns are dropped in blocks, by their number in the conversation. A vendor's prompt cache never matches a history
 * that begins elsewhere in each run. Up to a quarter of the turns that would fit are therefore dropped too. An exact
 * `maxTurns` (`isExact`) is not reduced in this way.
 *
 * If the newest turn alone exceeds the tokens, its user message is kept with the newest steps that fit. A step is one
 * assistant message with the results of its calls. If not even one step fits, the whole turn is dropped.
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
 * Returns at most `most` of the newest groups of messages, beginning at the start of a block. A block consists of
 * consecutive groups, up to a quarter of `most`. Block sizes are powers of two, so that a smaller block begins wherever
 * a larger block does. `before` is the number of preceding groups.
 */
export function newestInBlocks(groups: readonly ChatMessage[][], most: number, before = 0): ChatMessage[][] {
  const block = Math.max(1, 2 ** Math.floor(Math.log2(most / 4)));
  const first = before + groups.length - most;
  return groups.slice(Math.ceil(first / block) * block - before);
}

/**
 * Splits messages into groups that each begin with a message of this role: turns by "user", steps by "assistant".
 * Messages before the first such message form a group too.
 */
export function splitBefore(messages: readonly ChatMessage[], role: "user" | "assistant"): ChatMessage[][] {
  const groups: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === role || groups.length === 0) groups.push([message]);
    else groups.at(-1)?.push(message);
  }
  return groups;
}

/** Shortens a turn to its user message and the newest steps that fit. Empty if not even one step fits. */
function shorten([input, ...answer]: ChatMessage[], room: number): ChatMessage[] {
  if (input === undefined) return [];
  const steps = newestThatFit(splitBefore(answer, "assistant"), room - estimateTokens([input]));
  return steps.length === 0 ? [] : [input, ...steps.flat()];
}

/** Returns the newest groups of messages whose estimated tokens together do not exceed `room`. */
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

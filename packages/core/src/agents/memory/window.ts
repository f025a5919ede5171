import { repairHistory } from "../../sessions/history/repair-history.ts";
import { splitBefore } from "../../sessions/history/trim-history.ts";
import type { ContentPart } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";

/** The newest messages of a session, which its memory stores unchanged. */
export type Window = {
  messages: readonly ChatMessage[];
  /** True if the newest turn alone exceeded the window, so that its first steps were dropped. */
  hasLostSteps: boolean;
};

/** Limits of a window: the maximum number of messages, and the maximum number of characters in all of them. */
export type WindowSize = { messages: number; characters: number };

/**
 * Keeps the newest whole turns that fit; a turn begins with a user message. If the newest turn is too large by itself,
 * its user message and its newest steps are kept. A step is an assistant message with the results of its tool calls.
 * All other messages, including those before the first user message, are returned in order as the `overflow`.
 *
 * The result does not depend on how the messages are divided between calls.
 */
export function trimWindow(
  { messages, hasLostSteps }: Window,
  size: WindowSize,
): { window: Window; overflow: ChatMessage[] } {
  const turns = splitBefore(messages, "user");
  // A turn that lost its first steps is incomplete and leaves the window when the next turn is added.
  const hasPassed = turns[0]?.[0]?.role !== "user" || (hasLostSteps && turns.length > 1);
  const whole = hasPassed ? turns.slice(1) : turns;
  const kept = newestThatFit(whole, size);
  const newest = whole.at(-1);
  if (kept.length > 0 || newest === undefined) {
    const overflow = turns.slice(0, turns.length - kept.length).flat();
    return { window: { messages: kept.flat(), hasLostSteps: hasLostSteps && !hasPassed && kept.length > 0 }, overflow };
  }
  const { left, dropped } = shorten(newest, size);
  return { window: { messages: left, hasLostSteps: true }, overflow: [...turns.slice(0, -1).flat(), ...dropped] };
}

/**
 * Returns at most `max` messages of the window as a history that every vendor accepts. A turn of which only the user
 * message is left is omitted.
 */
export function viewWindow({ messages, hasLostSteps }: Window, max: number): ChatMessage[] {
  // The repair of the history adds missing tool results, so the number of messages may have grown.
  const { window } = trimWindow(
    { messages: repairHistory(messages), hasLostSteps },
    { messages: max, characters: Infinity },
  );
  return window.hasLostSteps && window.messages.length === 1 ? [] : [...window.messages];
}

/**
 * Shortens a turn that is too large: keeps its user message and its newest steps. The user message stays even if no
 * step fits, because later messages of the turn may still fit.
 */
function shorten([input, ...answer]: readonly ChatMessage[], size: WindowSize) {
  const first = input === undefined ? [] : [input];
  const steps = newestThatFit(splitBefore(answer, "assistant"), without(size, first)).flat();
  return { left: [...first, ...steps], dropped: answer.slice(0, answer.length - steps.length) };
}

function newestThatFit(groups: readonly ChatMessage[][], size: WindowSize): ChatMessage[][] {
  let left = size;
  let first = groups.length;
  while (first > 0) {
    left = without(left, groups[first - 1] ?? []);
    if (left.messages < 0 || left.characters < 0) break;
    first--;
  }
  return groups.slice(first);
}

function without({ messages, characters }: WindowSize, taken: readonly ChatMessage[]): WindowSize {
  return {
    messages: messages - taken.length,
    characters: taken.reduce((left, message) => left - messageSize(message), characters),
  };
}

/** Estimates the characters that a message takes in a record, from its texts and data. */
function messageSize({ content, toolCalls = [] }: ChatMessage): number {
  const said = typeof content === "string" ? content.length : sum((content ?? []).map(partSize));
  return said + sum(toolCalls.map((call) => JSON.stringify(call).length));
}

function partSize(part: ContentPart): number {
  return part.type === "text" ? part.text.length : part.data.length;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

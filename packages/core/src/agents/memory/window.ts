import { repairHistory } from "../../sessions/history/repair-history.ts";
import { splitBefore } from "../../sessions/history/trim-history.ts";
import type { ContentPart } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";

/** The newest messages of a session, which its memory keeps unchanged. */
export type Window = {
  messages: readonly ChatMessage[];
  /** True when its only turn was too large and has lost its first steps. */
  hasLostSteps: boolean;
};

/** Limits of a window: how many messages it keeps at most, and how many characters in all of them. */
export type WindowSize = { messages: number; characters: number };

/**
 * Keeps the newest whole turns that fit; a turn begins with a message of the user. Of a newest turn that is too large by
 * itself it keeps the user's message and the newest steps; a step is a message of the assistant with its results. All
 * other messages, also those before the first of the user, are the `overflow`, in order.
 *
 * The result is the same, however the messages are divided upon several calls.
 */
export function trimWindow(
  { messages, hasLostSteps }: Window,
  size: WindowSize,
): { window: Window; overflow: ChatMessage[] } {
  const turns = splitBefore(messages, "user");
  // A turn that lost its first steps is not whole, and gives way to the next.
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
 * Returns at most `max` messages of the window as a history that every vendor accepts. A turn of which only the user's
 * message is left is not part of it.
 */
export function viewWindow({ messages, hasLostSteps }: Window, max: number): ChatMessage[] {
  // The repair adds missing results, so there may be more messages now.
  const { window } = trimWindow(
    { messages: repairHistory(messages), hasLostSteps },
    { messages: max, characters: Infinity },
  );
  return window.hasLostSteps && window.messages.length === 1 ? [] : [...window.messages];
}

/** Keeps the user's message even alone: later messages of the turn may fit. */
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

/** Estimates the characters that a message takes in a record, by its texts and data. */
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

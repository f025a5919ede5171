import type { ChatMessage } from "../message/message.ts";
import { repairHistory } from "../history/repair-history.ts";
import { messageSize } from "./message-size.ts";
import { splitBefore } from "../history/trim-history.ts";

/** The newest messages of a session. */
export type Window = {
  messages: readonly ChatMessage[];
  /** Whether the only turn in it was too large and has lost its first steps. */
  isCut: boolean;
};

/** How much a window holds: so many messages, and all together so many characters. */
export type Room = { messages: number; characters: number };

/**
 * Leaves the newest whole turns that there is room for; a turn begins where the user speaks. Of a newest turn that
 * is larger by itself, what the user said and the newest steps remain; a step is a message of the assistant with its
 * results. All else is `overflow`, in its order: what no user's message stands before, too.
 *
 * The same remains, however the messages are divided upon several calls.
 */
export function trimWindow({ messages, isCut }: Window, room: Room): { window: Window; overflow: ChatMessage[] } {
  const turns = splitBefore(messages, "user");
  // A turn that lost its first steps is no whole one, and gives way to the next.
  const hasPassed = turns[0]?.[0]?.role !== "user" || (isCut && turns.length > 1);
  const whole = hasPassed ? turns.slice(1) : turns;
  const kept = newestThatFit(whole, room);
  const newest = whole.at(-1);
  if (kept.length > 0 || newest === undefined) {
    const overflow = turns.slice(0, turns.length - kept.length).flat();
    return { window: { messages: kept.flat(), isCut: isCut && !hasPassed && kept.length > 0 }, overflow };
  }
  const { left, dropped } = shorten(newest, room);
  return { window: { messages: left, isCut: true }, overflow: [...turns.slice(0, -1).flat(), ...dropped] };
}

/** The window as a model takes it: in order, and without a turn of which nothing but the user's question is left. */
export function viewWindow({ messages, isCut }: Window, max: number): ChatMessage[] {
  // Results that are still missing are put in, so there may be more messages now.
  const { window } = trimWindow({ messages: repairHistory(messages), isCut }, { messages: max, characters: Infinity });
  return window.isCut && window.messages.length === 1 ? [] : [...window.messages];
}

/** The user's message stays even alone: what follows of the turn may fit. */
function shorten([input, ...answer]: readonly ChatMessage[], room: Room) {
  const first = input === undefined ? [] : [input];
  const steps = newestThatFit(splitBefore(answer, "assistant"), without(room, first)).flat();
  return { left: [...first, ...steps], dropped: answer.slice(0, answer.length - steps.length) };
}

function newestThatFit(groups: readonly ChatMessage[][], room: Room): ChatMessage[][] {
  let left = room;
  let first = groups.length;
  while (first > 0) {
    left = without(left, groups[first - 1] ?? []);
    if (left.messages < 0 || left.characters < 0) break;
    first--;
  }
  return groups.slice(first);
}

function without({ messages, characters }: Room, taken: readonly ChatMessage[]): Room {
  return {
    messages: messages - taken.length,
    characters: taken.reduce((left, message) => left - messageSize(message), characters),
  };
}

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { repairHistory } from "../../sessions/history/repair-history.ts";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import { brokenHistory, soundHistory } from "../../sessions/history/test/histories.ts";
import { exchange, step } from "./test/conversation.ts";
import { trimWindow, viewWindow } from "./window.ts";
import type { WindowSize, Window } from "./window.ts";

const upTo = (messages: number, characters = Infinity) => ({ messages, characters });
const none: Window = { messages: [], hasLostSteps: false };
const user: ChatMessage = { role: "user", content: "Ask." };
const answer: ChatMessage = { role: "assistant", content: "Answer." };

describe("trimWindow", () => {
  it("returns messages that fit unchanged", () => {
    const messages = [...exchange("a"), ...exchange("b")];

    expect(trimWindow({ messages, hasLostSteps: false }, upTo(4))).toEqual({
      window: { messages, hasLostSteps: false },
      overflow: [],
    });
  });

  it("drops the oldest turns as a whole", () => {
    const messages = [...exchange("a"), ...exchange("b"), ...exchange("c")];
    const { window, overflow } = trimWindow({ messages, hasLostSteps: false }, upTo(5));

    expect(window).toEqual({ messages: [...exchange("b"), ...exchange("c")], hasLostSteps: false });
    expect(overflow).toEqual(exchange("a"));
  });

  it("cuts a turn that is larger than the window between its steps", () => {
    const messages = [...exchange("a"), user, ...step("s"), ...step("t", 2), answer];
    const { window, overflow } = trimWindow({ messages, hasLostSteps: false }, upTo(5));

    expect(window).toEqual({ messages: [user, ...step("t", 2), answer], hasLostSteps: true });
    expect(overflow).toEqual([...exchange("a"), ...step("s")]);
  });

  it("drops a turn that was cut when the next one begins", () => {
    const cut = { messages: [user, answer], hasLostSteps: true };
    const { window, overflow } = trimWindow(
      { messages: [...cut.messages, ...exchange("b")], hasLostSteps: true },
      upTo(50),
    );

    expect(window).toEqual({ messages: exchange("b"), hasLostSteps: false });
    expect(overflow).toEqual(cut.messages);
  });

  it("drops messages before the first of the user", () => {
    expect(trimWindow({ messages: [answer, user], hasLostSteps: false }, upTo(50))).toEqual({
      window: { messages: [user], hasLostSteps: false },
      overflow: [answer],
    });
  });
});

describe("trimWindow by size", () => {
  it("drops the oldest turns when all together are too large", () => {
    const image: ChatMessage = { role: "user", content: [{ type: "image", data: "A".repeat(600) }] };
    const messages = [...exchange("a"), image, answer, image, answer];

    expect(trimWindow({ messages, hasLostSteps: false }, upTo(50, 1000)).window.messages).toEqual([image, answer]);
    expect(trimWindow({ messages, hasLostSteps: false }, upTo(50, 1220)).window.messages).toEqual(messages.slice(2));
  });

  it("counts the arguments and results of tools", () => {
    const call = { id: "1", name: "look", arguments: { at: "x".repeat(500) } };
    const large: ChatMessage[] = [
      { role: "assistant", content: null, toolCalls: [call] },
      { role: "tool", toolCallId: "1", content: "y".repeat(500) },
    ];
    const messages = [user, ...large, ...step("s"), answer];

    expect(trimWindow({ messages, hasLostSteps: false }, upTo(50, 1000)).window).toEqual({
      messages: [user, ...step("s"), answer],
      hasLostSteps: true,
    });
    expect(trimWindow({ messages, hasLostSteps: false }, upTo(50, 1500)).window.messages).toEqual(messages);
  });

  it.each<[what: string, size: number, message: ChatMessage]>([
    ["no content", 0, { role: "assistant", content: null }],
    ["a text", 3, { role: "user", content: "abc" }],
    ["text parts", 5, { role: "user", content: ["abc", "de"].map((text) => ({ type: "text", text })) }],
    [
      "an image beside a text",
      7,
      {
        role: "user",
        content: [
          { type: "image", data: "AAAA" },
          { type: "text", text: "abc" },
        ],
      },
    ],
    [
      "a tool call and its words",
      39,
      { role: "assistant", content: "Ask", toolCalls: [{ id: "1", name: "f", arguments: {} }] },
    ],
    ["a result", 3, { role: "tool", toolCallId: "1234", content: "abc" }],
  ])("counts the characters of %s exactly", (_what, size, message) => {
    const asked: ChatMessage = { role: "user", content: "?" };
    const keptIn = (characters: number) =>
      trimWindow({ messages: [asked, message, asked], hasLostSteps: false }, upTo(9, characters)).window.messages
        .length;

    const whole = message.role === "user" ? 2 : 3;
    expect([keptIn(size + whole - 1), keptIn(size + whole - 2)]).toEqual([whole, 1]);
  });

  it("keeps a user's message that is too large by itself, as the session's turn does", () => {
    const large: ChatMessage = { role: "user", content: "x".repeat(2000) };
    const { window } = trimWindow({ messages: [large, answer], hasLostSteps: false }, upTo(50, 1000));

    expect(window).toEqual({ messages: [large], hasLostSteps: true });
    expect(viewWindow(window, 50)).toEqual([]);
  });
});

describe("viewWindow", () => {
  it("returns nothing of a turn without a step that fits", () => {
    const { window } = trimWindow({ messages: [user, ...step("s", 3)], hasLostSteps: false }, upTo(3));

    expect(viewWindow(window, 3)).toEqual([]);
    expect(viewWindow({ messages: [user], hasLostSteps: false }, 3)).toEqual([user]);
  });

  it("has room for the results that the repair adds", () => {
    const [asking] = step("s", 3) as [ChatMessage];
    const messages = [...exchange("a"), user, asking];

    expect(viewWindow({ messages, hasLostSteps: false }, 5)).toHaveLength(5);
    expect(viewWindow({ messages, hasLostSteps: false }, 4)).toEqual([]);
  });
});

/** A hundred times as many find nothing more. */
const runs = { few: 50, many: 500 }[inject("trials")];
const pieceSizes = fc.infiniteStream(fc.integer({ min: 1, max: 6 }));
const maximum = fc.integer({ min: 1, max: 12 });
const rooms = fc.record({
  messages: maximum,
  characters: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.constant(Infinity)),
});

describe("a window to which messages are added in pieces", () => {
  it("is the newest suffix that fits, and one that every vendor takes, whatever the pieces", () => {
    const property = fc.property(soundHistory, pieceSizes, maximum, (history, sizes, max) => {
      const said = history.filter(({ role }) => role !== "system");
      for (const { window, seen } of addInPieces(said, sizes, upTo(max))) {
        const view = viewWindow(window, max);
        assertVendorWouldAccept(view);
        assert.deepEqual(view, newestSuffix(seen, max));
      }
    });
    fc.assert(property, { numRuns: runs });
  });

  it("neither loses nor repeats a message: each is in the window or in the overflow", () => {
    const property = fc.property(soundHistory, pieceSizes, rooms, (history, sizes, room) => {
      const said = history.filter(({ role }) => role !== "system");
      const left: ChatMessage[] = [];
      let last = none;
      for (const { window, overflow } of addInPieces(said, sizes, room)) {
        left.push(...overflow);
        last = window;
      }
      expect(last.messages.length).toBeLessThanOrEqual(room.messages);
      expect(new Set([...left, ...last.messages])).toEqual(new Set(said));
      expect(left.length + last.messages.length).toBe(said.length);
    });
    fc.assert(property, { numRuns: runs });
  });

  it("is one that every vendor takes, whatever was added", () => {
    const property = fc.property(brokenHistory, pieceSizes, rooms, (history, sizes, room) => {
      for (const { window } of addInPieces(history, sizes, room)) {
        const view = viewWindow(window, room.messages);
        assertVendorWouldAccept(view);
        expect(view.length).toBeLessThanOrEqual(room.messages);
      }
    });
    fc.assert(property, { numRuns: runs });
  });
});

function* addInPieces(messages: readonly ChatMessage[], sizes: Iterable<number>, room: WindowSize) {
  let window = none;
  let seen = 0;
  for (const size of sizes) {
    const piece = messages.slice(seen, seen + size);
    if (piece.length === 0) return;
    seen += piece.length;
    const trimmed = trimWindow({ messages: [...window.messages, ...piece], hasLostSteps: window.hasLostSteps }, room);
    window = trimmed.window;
    yield { ...trimmed, seen: messages.slice(0, seen) };
  }
}

/** The longest of all suffixes that begin with the user; else what is left of the newest turn. Written from the rules. */
function newestSuffix(history: readonly ChatMessage[], max: number): ChatMessage[] {
  const sound = [...repairHistory(history)];
  const starts = sound.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  const longest = starts.find((start) => sound.length - start <= max);
  if (longest !== undefined) return sound.slice(longest);
  const newest = starts.at(-1);
  if (newest === undefined) return [];
  const steps = sound.flatMap(({ role }, index) => (index > newest && role === "assistant" ? [index] : []));
  const first = steps.find((start) => sound.length - start <= max - 1);
  return first === undefined ? [] : [...sound.slice(newest, newest + 1), ...sound.slice(first)];
}

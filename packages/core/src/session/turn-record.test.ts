import { describe, expect, it } from "vitest";
import { readSessionRecord } from "./session-record.ts";
import { turnNamed } from "./test/turns.ts";
import { newTurnRecord, readTurnRecord, turnMessages } from "./turn-record.ts";

const place = { namespace: "turns", key: "-/s/000000000001" };
const turn = newTurnRecord(turnNamed("one"));
const session = { v: 1, owner: { userId: "ada" }, createdAt: 1, updatedAt: 2, turns: 3 };

describe("readTurnRecord", () => {
  it("takes what was stored, with fields it does not know", () => {
    const stored = { ...turn, mood: "good", messages: [{ ...turn.messages[0], mood: "bad" }] };

    expect(readTurnRecord(stored, place)).toEqual(stored);
  });

  it("takes contents of every kind", () => {
    const input = [
      { type: "text", text: "look" },
      { type: "image", data: "AAAA" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "file", data: "AAAA", mimeType: "application/pdf", filename: "a.pdf" },
    ];

    expect(readTurnRecord({ ...turn, input }, place).input).toEqual(input);
  });

  const damages: [what: string, value: unknown][] = [
    ["a text", "turn"],
    ["a list", [turn]],
    ["null", null],
    ["no version", { ...turn, v: undefined }],
    ["version 0", { ...turn, v: 0 }],
    ["no run", { ...turn, runId: undefined }],
    ["no name of what was run", { ...turn, runnable: 1 }],
    ["no input", { ...turn, input: null }],
    ["input of an unknown kind", { ...turn, input: [{ type: "smell", data: "AAAA" }] }],
    ["a file without a type", { ...turn, input: [{ type: "file", data: "AAAA" }] }],
    ["a text without text", { ...turn, input: [{ type: "text" }] }],
    ["messages that are no list", { ...turn, messages: { 0: turn.messages[0] } }],
    ["a message without content", { ...turn, messages: [{ role: "user" }] }],
    ["an unknown role", { ...turn, messages: [{ role: "robot", content: "" }] }],
    ["calls that are no list", { ...turn, messages: [{ role: "assistant", content: null, toolCalls: {} }] }],
    ["arguments that are no object", withCall({ id: "1", name: "f", arguments: "{}" })],
    ["a call without an id", withCall({ name: "f", arguments: {} })],
    ["a call without a name", withCall({ id: "1", arguments: {} })],
    ["an id of a call that is no text", { ...turn, messages: [{ role: "tool", content: "", toolCallId: 1 }] }],
    ["an unknown status", { ...turn, status: "lost" }],
    ["usage without totals", { ...turn, usage: {} }],
    ["a time that is no number", { ...turn, createdAt: "now" }],
  ];

  it.each(damages)("calls %s damaged, and names nothing but the place", (_, value) => {
    expect(() => readTurnRecord(value, place)).toThrow(
      expect.objectContaining({
        code: "storage_corrupt",
        fields: place,
        message: expect.stringContaining(place.key) as string,
      }),
    );
  });

  it("tells that a newer release wrote it", () => {
    expect(() => readTurnRecord({ ...turn, v: 2, messages: "new form" }, place)).toThrow(
      "has version 2, and this release reads up to 1",
    );
  });
});

describe("readSessionRecord", () => {
  it("takes what was stored, with fields it does not know", () => {
    expect(readSessionRecord({ ...session, mood: "good" }, place)).toEqual({ ...session, mood: "good" });
  });

  it.each([
    { owner: undefined },
    { owner: { userId: 7 } },
    { createdAt: null },
    { updatedAt: "now" },
    { turns: -1 },
    { turns: 1.5 },
    { title: 1 },
    { v: 2 },
  ])("does not take one with %j", (damage) => {
    expect(() => readSessionRecord({ ...session, ...damage }, place)).toThrow(
      expect.objectContaining({ code: "storage_corrupt" }),
    );
  });
});

describe("turnMessages", () => {
  it("begins with what the user said", () => {
    expect(turnMessages({ input: "look", messages: turn.messages })).toEqual([
      { role: "user", content: "look" },
      ...turn.messages,
    ]);
  });
});

function withCall(call: object) {
  return { ...turn, messages: [{ role: "assistant", content: null, toolCalls: [call] }] };
}

import { describe, expect, it } from "vitest";
import { readSessionRecord } from "./session-record.ts";
import { turnNamed } from "./test/turns.ts";
import { newTurnRecord, readTurnRecord, toStoredTurn, turnMessages } from "./turn-record.ts";

const at = { namespace: "turns", key: "-/-/s/000000000001" };
const turn = newTurnRecord(turnNamed("one"));
const session = { v: 1, owner: { userId: "ada" }, createdAt: 1, updatedAt: 2, turns: 3 };

describe("readTurnRecord", () => {
  it("returns a stored record with its unknown fields", () => {
    const stored = { ...turn, mood: "good", messages: [{ ...turn.messages[0], mood: "bad" }] };

    expect(readTurnRecord(stored, at)).toEqual(stored);
  });

  it("reads what vendors made as it was, from the text that it is stored as and from objects [cache.stored-turns]", () => {
    const call = { id: "1", name: "f", arguments: { b: 1, a: { d: [], c: "{" } } };
    const history = [{ role: "assistant" as const, content: "", toolCalls: [call] }];
    const vendorStates = [{ index: 0, state: { providerId: "p", modelId: "m", items: [{ z: 1, y: 2 }] } }];
    const given = newTurnRecord({ ...turnNamed("one"), history, messages: history, vendorStates });
    const stored = toStoredTurn(given);
    const ofCall = { arguments: '{"b":1,"a":{"d":[],"c":"{"}}' };

    expect(stored).toMatchObject({ messages: [{ toolCalls: [ofCall] }], history: [{ toolCalls: [ofCall] }] });
    expect(stored).toHaveProperty("vendorStates", JSON.stringify(vendorStates));
    for (const record of [stored, given])
      expect(JSON.stringify(readTurnRecord(record, at))).toBe(JSON.stringify(given));
  });

  it("accepts content of every kind", () => {
    const input = [
      { type: "text", text: "look" },
      { type: "image", data: "AAAA" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "file", data: "AAAA", mimeType: "application/pdf", filename: "a.pdf" },
    ];

    expect(readTurnRecord({ ...turn, input }, at).input).toEqual(input);
  });

  const damages: [what: string, value: unknown][] = [
    ["a string", "turn"],
    ["an array", [turn]],
    ["null", null],
    ["no version", { ...turn, v: undefined }],
    ["version 0", { ...turn, v: 0 }],
    ["no run id", { ...turn, runId: undefined }],
    ["no name of the runnable", { ...turn, runnable: 1 }],
    ["no input", { ...turn, input: null }],
    ["input of an unknown kind", { ...turn, input: [{ type: "smell", data: "AAAA" }] }],
    ["a file without a type", { ...turn, input: [{ type: "file", data: "AAAA" }] }],
    ["a text part without text", { ...turn, input: [{ type: "text" }] }],
    ["messages that are no array", { ...turn, messages: { 0: turn.messages[0] } }],
    ["a message without content", { ...turn, messages: [{ role: "user" }] }],
    ["an unknown role", { ...turn, messages: [{ role: "robot", content: "" }] }],
    ["calls that are no array", { ...turn, messages: [{ role: "assistant", content: null, toolCalls: {} }] }],
    ["arguments that are no object", withCall({ id: "1", name: "f", arguments: "[]" })],
    ["arguments that are no JSON", withCall({ id: "1", name: "f", arguments: "{" })],
    ["a call without an id", withCall({ name: "f", arguments: {} })],
    ["a call without a name", withCall({ id: "1", arguments: {} })],
    ["a call id that is no string", { ...turn, messages: [{ role: "tool", content: "", toolCallId: 1 }] }],
    ["an unknown status", { ...turn, status: "lost" }],
    ["usage without totals", { ...turn, usage: {} }],
    ["a time that is no number", { ...turn, createdAt: "now" }],
  ];

  it.each(damages)("reports damage for %s, and names only the key", (_, value) => {
    expect(() => readTurnRecord(value, at)).toThrow(
      expect.objectContaining({
        code: "storage_corrupt",
        fields: at,
        message: expect.stringContaining(at.key) as string,
      }),
    );
  });

  it("asks for an update when a newer release wrote it", () => {
    expect(() => readTurnRecord({ ...turn, v: 2, messages: "new form" }, at)).toThrow(
      "has version 2, and this release reads up to 1",
    );
  });
});

describe("readSessionRecord", () => {
  it("returns a stored record with its unknown fields", () => {
    expect(readSessionRecord({ ...session, mood: "good" }, at)).toEqual({ ...session, mood: "good" });
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
  ])("reports damage for %j", (damage) => {
    expect(() => readSessionRecord({ ...session, ...damage }, at)).toThrow(
      expect.objectContaining({ code: "storage_corrupt" }),
    );
  });
});

describe("turnMessages", () => {
  it("begins with the user's input", () => {
    expect(turnMessages({ input: "look", messages: turn.messages })).toEqual([
      { role: "user", content: "look" },
      ...turn.messages,
    ]);
  });
});

function withCall(call: object) {
  return { ...turn, messages: [{ role: "assistant", content: null, toolCalls: [call] }] };
}

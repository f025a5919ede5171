import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { emptyMemory, isForgotten, readMemoryRecord, toStoredMemory } from "./memory-record.ts";
import type { MemoryRecord } from "./memory-record.ts";

const place = { namespace: "memory", key: "-/u/s" };
const messages: ChatMessage[] = [
  { role: "user", content: "Hi" },
  { role: "assistant", content: null, toolCalls: [{ id: "1", name: "look", arguments: { b: 1, a: 2 } }] },
  { role: "tool", toolCallId: "1", content: "seen" },
];
const whole: MemoryRecord = {
  v: 1,
  messages,
  hasLostSteps: true,
  pending: ["- user: x"],
  summaries: ["One.", "Two."],
  through: 3,
  vendorStateTurns: [{ seq: 2, fromEnd: 1 }],
  additionId: "id",
  indexed: true,
  hasSeed: true,
  takenBy: "-/u/s",
};
const bare = { ...emptyMemory } as unknown as Record<string, Json>;

describe("the stored memory of a session", () => {
  it.each([whole, emptyMemory, { ...emptyMemory, additionId: "x", takenBy: "" }])("is read as it was: %j", (record) => {
    const stored = JSON.parse(JSON.stringify(toStoredMemory(record))) as Json;

    expect(readMemoryRecord(stored, place)).toStrictEqual(record);
  });

  it("has the arguments of tool calls as text, and leaves the record as it is", () => {
    expect(toStoredMemory(whole)).toMatchObject({
      messages: [{}, { toolCalls: [{ id: "1", name: "look", arguments: '{"b":1,"a":2}' }] }, {}],
    });
    expect(whole.messages).toBe(messages);
    expect(messages[1]?.toolCalls?.[0]?.arguments).toEqual({ b: 1, a: 2 });
  });

  it("is the empty memory where there is none, which no one can change", () => {
    expect(readMemoryRecord(null, place)).toBe(emptyMemory);
    expect(() => Object.assign(emptyMemory, { through: 1 })).toThrow(TypeError);
    expect(emptyMemory).toStrictEqual({
      v: 1,
      messages: [],
      hasLostSteps: false,
      pending: [],
      summaries: [],
      through: 0,
      additionId: "",
    });
  });

  it.each<[string, Json]>([
    ["no object", "x"],
    ["an array", []],
    ["no version", { ...bare, v: 0 }],
    ["messages that are none", { ...bare, messages: [{ role: "user" }] }],
    ["messages in no array", { ...bare, messages: {} }],
    ["no flag", { ...bare, hasLostSteps: 1 }],
    ["pending lines that are none", { ...bare, pending: [1] }],
    ["pending lines in no array", { ...bare, pending: "x" }],
    ["summaries that are none", { ...bare, summaries: [null] }],
    ["a negative turn", { ...bare, through: -1 }],
    ["a broken turn", { ...bare, through: 0.5 }],
    ["no id", { ...bare, additionId: 1 }],
    ["an owner that is none", { ...bare, takenBy: 1 }],
    ["turns with state that are none", { ...bare, vendorStateTurns: [{ seq: 1 }] }],
    ["turns with negative numbers", { ...bare, vendorStateTurns: [{ seq: -1, fromEnd: 1 }] }],
    ["turns with state in no array", { ...bare, vendorStateTurns: { seq: 1, fromEnd: 1 } }],
  ])("is damaged with %s", (_what, stored) => {
    expect(() => readMemoryRecord(stored, place)).toThrow(
      expect.objectContaining({
        code: "storage_corrupt",
        fields: place,
        message: expect.stringContaining("is damaged"),
      }),
    );
    expect(isForgotten(stored, place)).toBe(false);
  });

  it("is refused when a newer release wrote it", () => {
    expect(() => readMemoryRecord({ ...bare, v: 2, messages: "other" }, place)).toThrow(
      expect.objectContaining({ code: "storage_corrupt", fields: { ...place, version: 2 } }),
    );
  });

  it.each<[Json, boolean]>([
    [null, true],
    [{ ...bare, through: 5, additionId: "x", hasLostSteps: true }, true],
    [{ ...bare, messages: [{ role: "user", content: "Hi" }] }, false],
    [{ ...bare, pending: [""] }, false],
    [{ ...bare, summaries: ["One."] }, false],
    [{ ...bare, v: 2 }, false],
  ])("tells if all of it is forgotten: %j", (stored, expected) => {
    expect(isForgotten(stored, place)).toBe(expected);
  });
});

import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { UncertainAdditions } from "./uncertain-additions.ts";

const hello = (): ChatMessage[] => [{ role: "user", content: "Hello" }];
const bye = (): ChatMessage[] => [{ role: "user", content: "Bye" }];

describe("UncertainAdditions", () => {
  it.each<[string, { messages: ChatMessage[]; additionId: string; isStored: boolean }]>([
    [
      "the same messages, of which the record has the addition",
      { messages: hello(), additionId: "one", isStored: true },
    ],
    [
      "the same messages, of which the record has another addition",
      { messages: hello(), additionId: "two", isStored: false },
    ],
    ["the same messages, of which the record has no addition", { messages: hello(), additionId: "", isStored: false }],
    ["other messages", { messages: bye(), additionId: "one", isStored: false }],
    ["more messages", { messages: [...hello(), ...bye()], additionId: "one", isStored: false }],
    ["no messages", { messages: [], additionId: "one", isStored: false }],
  ])("knows %s", (_, { messages, additionId, isStored }) => {
    const additions = new UncertainAdditions();
    additions.note("s", { id: "one", messages: hello() });

    expect(additions.isStored("s", { id: "again", messages }, { additionId })).toBe(isStored);
  });

  it("knows nothing of other sessions, and nothing any more once the addition is settled", () => {
    const additions = new UncertainAdditions();
    additions.note("s", { id: "one", messages: hello() });
    const isStored = (key: string) => additions.isStored(key, { id: "x", messages: hello() }, { additionId: "one" });
    expect([isStored("s"), isStored("s2"), isStored("constructor")]).toEqual([true, false, false]);
    additions.settle("s2");
    expect([isStored("s"), additions.size]).toEqual([true, 1]);
    additions.settle("s");

    expect([isStored("s"), additions.size]).toEqual([false, 0]);
  });

  it("knows the last addition of a session alone", () => {
    const additions = new UncertainAdditions();
    additions.note("s", { id: "one", messages: hello() });
    additions.note("s", { id: "two", messages: hello() });

    expect(additions.size).toBe(1);
    expect(additions.isStored("s", { id: "x", messages: hello() }, { additionId: "one" })).toBe(false);
    expect(additions.isStored("s", { id: "x", messages: hello() }, { additionId: "two" })).toBe(true);
  });

  it("keeps at most 1,000 sessions, the last that were noted: a look does not prolong", () => {
    const additions = new UncertainAdditions();
    const isStored = (key: string) => additions.isStored(key, { id: "x", messages: hello() }, { additionId: "one" });
    for (let index = 0; index < 1000; index++) additions.note(`s${index}`, { id: "one", messages: hello() });
    expect([additions.size, isStored("s0")]).toEqual([1000, true]);
    additions.note("last", { id: "one", messages: hello() });

    expect([additions.size, isStored("s0"), isStored("s1"), isStored("last")]).toEqual([1000, false, true, true]);
  });
});

import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { fromStoredMessages, parseStored, toStoredMessages } from "./stored-messages.ts";

const calling = (...args: Record<string, unknown>[]): ChatMessage => ({
  role: "assistant",
  content: null,
  toolCalls: args.map((each, index) => ({ id: `c${index}`, name: "look", arguments: each })),
});

describe("stored messages", () => {
  it("have the arguments of each call as JSON, with the members in their order", () => {
    const messages: ChatMessage[] = [{ role: "user", content: "Hi" }, calling({ b: 1, a: { d: [2], c: "é" } }, {})];

    expect(toStoredMessages(messages)).toEqual([
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: null,
        toolCalls: [
          { id: "c0", name: "look", arguments: '{"b":1,"a":{"d":[2],"c":"é"}}' },
          { id: "c1", name: "look", arguments: "{}" },
        ],
      },
    ]);
  });

  it.each<[ChatMessage[]]>([
    [[]],
    [[{ role: "user", content: "Hi", name: "ann" }]],
    [[calling()]],
    [[calling({ text: '{"a":1}' }), { role: "tool", content: "4", toolCallId: "c0" }]],
    [[calling(JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown>)]],
  ])("are read as they were written: %j", (messages) => {
    expect(JSON.stringify(fromStoredMessages(toStoredMessages(messages)))).toBe(JSON.stringify(messages));
  });

  it("stay what they are where they are no messages of this form", () => {
    for (const value of [null, 5, "text", {}, [], [null, 5, [], { toolCalls: null }, { toolCalls: {} }]]) {
      expect(fromStoredMessages(value)).toEqual(value);
    }
    const odd = [
      null,
      "c",
      { id: "c", arguments: { a: 1 } },
      { id: "c", arguments: "{" },
      { id: "c", arguments: null },
    ];
    expect(fromStoredMessages([{ role: "assistant", toolCalls: odd }])).toEqual([
      { role: "assistant", toolCalls: odd },
    ]);
  });

  it("change nothing of what is given", () => {
    const messages = [calling({ a: 1 })];
    const stored = toStoredMessages(messages);
    fromStoredMessages(stored);

    expect([messages, stored]).toEqual([[calling({ a: 1 })], toStoredMessages([calling({ a: 1 })])]);
  });
});

describe("parseStored", () => {
  it.each<[unknown, unknown]>([
    ['{"a":[1]}', { a: [1] }],
    ['"text"', "text"],
    ["null", null],
    ["", ""],
    ["{", "{"],
    [{ a: 1 }, { a: 1 }],
    [undefined, undefined],
    [5, 5],
  ])("of %j is %j", (value, parsed) => {
    expect(parseStored(value)).toEqual(parsed);
  });
});

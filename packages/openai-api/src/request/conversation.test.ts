import { describe, expect, it } from "vitest";
import { readArguments, readChatRequest } from "./chat-request.ts";

const hi = [{ role: "user", content: "Hi" }];
const read = (fields: object) => readChatRequest({ model: "helper", messages: hi, ...fields });

describe("the messages of a request", () => {
  const call = (id: string, args?: string) => ({ id, type: "function", function: { name: "f", arguments: args } });

  it("are instructions, the conversation before, and the user's input", () => {
    const messages = [
      { role: "system", content: "one" },
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "assistant", content: "c", tool_calls: [call("1", '{"é":1}'), call("2", ""), call("3")] },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "r" }] },
      { role: "tool", tool_call_id: "2" },
      { role: "assistant", refusal: "No." },
      { role: "user", content: "d" },
      { role: "developer", content: "two" },
      { role: "user", content: "e" },
    ];

    expect(read({ messages }).conversation).toEqual({
      instructions: "one\n\ntwo",
      input: "d\n\ne",
      history: [
        { role: "user", content: "a" },
        { role: "user", content: "b" },
        {
          role: "assistant",
          content: "c",
          toolCalls: [
            { id: "1", name: "f", arguments: { é: 1 } },
            { id: "2", name: "f", arguments: {} },
          ],
        },
        { role: "tool", content: "r", toolCallId: "1" },
        { role: "tool", content: "", toolCallId: "2" },
        { role: "assistant", content: "No." },
      ],
      outputs: [],
      userMessages: 1,
    });
  });

  it("may end with results of tools, which are the answers to a waiting run", () => {
    const messages = [
      ...hi,
      { role: "tool", tool_call_id: "0", content: "early" },
      { role: "assistant", content: null, tool_calls: [call("1"), call("2")] },
      { role: "tool", tool_call_id: "1", content: "r" },
      { role: "tool", tool_call_id: "2", content: "s" },
    ];

    expect(read({ messages }).conversation).toMatchObject({
      input: undefined,
      outputs: [
        { callId: "1", output: "r", param: "messages[3]" },
        { callId: "2", output: "s", param: "messages[4]" },
      ],
      userMessages: 1,
    });
    expect(read({ messages }).conversation.history.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
    ]);
  });

  it.each<[string, object[], object[]]>([
    ["a call without a result", [{ role: "assistant", content: "", tool_calls: [call("1")] }], []],
    [
      "a call without a result beside text",
      [{ role: "assistant", content: "a", tool_calls: [call("1")] }],
      [{ role: "assistant", content: "a" }],
    ],
    ["a result without a call", [{ role: "tool", tool_call_id: "1", content: "r" }], []],
    [
      "a result before its call",
      [
        { role: "tool", tool_call_id: "1", content: "r" },
        { role: "assistant", content: null, tool_calls: [call("1")] },
      ],
      [{ role: "assistant", content: null, toolCalls: [{ id: "1", name: "f", arguments: {} }] }],
    ],
  ])("that no vendor takes are left out: %s", (_, messages, history) => {
    expect(read({ messages: [...messages, ...hi] }).conversation).toMatchObject({ history, input: "Hi" });
  });

  it.each([
    [["user"], 0],
    [["user", "user", "user"], 0],
    [["user", "assistant", "user"], 1],
    [["user", "user", "assistant", "user", "user"], 1],
    [["user", "assistant", "user", "assistant", "user"], 2],
    [["assistant", "user"], 0],
    [["assistant", "user", "assistant", "assistant", "user"], 1],
  ])("%j have %i turns before the input", (roles, count) => {
    const messages = roles.map((role) => ({ role, content: "x" }));

    expect(read({ messages }).conversation.userMessages).toBe(count);
  });
});

describe("the arguments of a call", () => {
  it.each<[unknown, object]>([
    [undefined, {}],
    [null, {}],
    ["", {}],
    ["{}", {}],
    [' {"é":[1]} ', { é: [1] }],
  ])("%j are read as %j", (given, args) => {
    expect(readArguments(given, "a")).toEqual(args);
  });

  it.each(["[]", "7", "null", "{", " "])("%j are refused", (given) => {
    expect(() => readArguments(given, "a")).toThrow("a must be the JSON of an object.");
  });

  it.each([7, {}, []])("%j are refused, since they are no text", (given) => {
    expect(() => readArguments(given, "a")).toThrow("a must be a string.");
  });
});

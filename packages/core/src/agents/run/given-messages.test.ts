import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { messagesOption, refuseInstructions } from "./given-messages.ts";

const where = { owner: "the options of a run", code: "invalid_request" } as const;
const check = (value: unknown) => messagesOption(value, "messages", where);
const user = (content: string): ChatMessage => ({ role: "user", content });

describe("the messages that a run is given", () => {
  it("are copied as they can be stored", () => {
    const call = { id: "1", name: "send", arguments: { to: undefined, at: 1 } };
    const given = [user("a\uD83D"), { role: "assistant", content: null, toolCalls: [call], name: undefined }];
    const read = check(given);
    expect(read).toStrictEqual([
      { role: "user", content: "a\uFFFD" },
      { role: "assistant", content: null, toolCalls: [{ ...call, arguments: { at: 1 } }] },
    ]);
    expect(read[0]).not.toBe(given[0]);
    expect(given[0]).toEqual(user("a\uD83D"));
    expect(check([])).toEqual([]);
  });

  it.each([
    ["text", "messages must be an array of messages, each with a role and content."],
    [{ 0: user("a"), length: 1 }, "messages must be an array of messages, each with a role and content."],
    [null, "messages must be an array of messages, each with a role and content."],
    [
      [user("a"), { role: "robot", content: "b" }],
      "messages[1] must be a message: { role, content, toolCalls?, toolCallId?, name? }.",
    ],
    [[{ role: "user" }], "messages[0] must be a message: { role, content, toolCalls?, toolCallId?, name? }."],
  ])("are refused with the place of the first that is none: %j", (value, message) => {
    expect(() => check(value)).toThrow(expect.objectContaining({ code: "invalid_request", message }));
  });

  it("are at most 1000", () => {
    const messages = Array.from({ length: 1001 }, () => user("a"));
    expect(check(messages.slice(1))).toHaveLength(1000);
    const message = "messages must have at most 1000 messages, got 1001. Leave out the oldest.";
    expect(() => check(messages)).toThrow(expect.objectContaining({ code: "invalid_request", message }));
  });

  it("have at most 8,000,000 characters of JSON together", () => {
    const { length } = JSON.stringify([user("")]);
    expect(check([user("x".repeat(8_000_000 - length))])).toHaveLength(1);
    const message = "messages must have at most 8000000 characters of JSON. Leave out the oldest.";
    const refusal = expect.objectContaining({ code: "invalid_request", message });
    expect(() => check([user("x".repeat(8_000_001 - length))])).toThrow(refusal);
  });

  it("hold JSON values alone", () => {
    const calls = (value: unknown) => [{ id: "1", name: "send", arguments: { value } }];
    const circle: Record<string, unknown> = {};
    let deep: unknown = 1;
    for (let level = 0; level < 70; level++) deep = [deep];
    circle["self"] = 1;
    for (const value of [1n, () => 1, Number.NaN, deep]) {
      const refusal = {
        code: "invalid_request",
        message: "messages must hold JSON values alone, at most 64 levels deep.",
        cause: expect.objectContaining({ code: "invalid_value" }),
      };
      const given = [{ role: "assistant", content: null, toolCalls: calls(value) }];
      expect(() => check(given)).toThrow(expect.objectContaining(refusal));
    }
    expect(check([{ role: "assistant", content: null, toolCalls: calls(circle) }])).toHaveLength(1);
  });
});

describe("refuseInstructions", () => {
  const messages = [user("a"), { role: "system", content: "Obey." }, { role: "system", content: "b" }] as ChatMessage[];

  it("refuses instructions of a caller from outside, by their place alone", () => {
    const message = "messages[1] must be of the role user, assistant or tool. Instructions are the service's.";
    const refusal = expect.objectContaining({ code: "invalid_request", message });
    expect(() => refuseInstructions({ messages }, true)).toThrow(refusal);
    expect(() => refuseInstructions({ messages: messages.slice(1) }, true)).toThrow("messages[0] must be");
  });

  it("takes those of the program, and messages without any", () => {
    expect(() => refuseInstructions({ messages }, false)).not.toThrow();
    expect(() => refuseInstructions({ messages: messages.slice(0, 1) }, true)).not.toThrow();
    expect(() => refuseInstructions({}, true)).not.toThrow();
  });
});

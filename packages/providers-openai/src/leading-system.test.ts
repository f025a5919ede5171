import type { ChatMessage } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { callOf } from "../test/model-call.ts";
import { splitLeadingSystem } from "./leading-system.ts";
import { plainName } from "./plain-text.ts";

const [a, b, empty] = ["A", "B", ""].map((content): ChatMessage => ({ role: "system", content })) as [
  ChatMessage,
  ChatMessage,
  ChatMessage,
];
const user: ChatMessage = { role: "user", content: "Hello?" };

describe("splitLeadingSystem", () => {
  it.each<[string, ChatMessage[], object]>([
    ["joins the first ones", [a, empty, b, user, a], { system: "A\n\nB", rest: [user, a] }],
    ["finds none", [user, a], { system: "", rest: [user, a] }],
    ["takes all", [a, b], { system: "A\n\nB", rest: [] }],
    ["takes none of none", [], { system: "", rest: [] }],
    [
      "joins the parts of one",
      [
        {
          role: "system",
          content: [
            { type: "text", text: "A" },
            { type: "text", text: "B" },
          ],
        },
        user,
      ],
      { system: "A\nB", rest: [user] },
    ],
  ])("%s", (_, messages, expected) => {
    expect(splitLeadingSystem(callOf({}, { messages }).call)).toEqual(expected);
  });

  it("refuses what is not text, by the role of its message", () => {
    const content = [{ type: "image", data: "https://a.example/i" } as const];
    const split = () => splitLeadingSystem(callOf({}, { messages: [{ role: "system", content }] }).call);

    expect(split).toThrow(
      expect.objectContaining({
        code: "unsupported_media_type",
        message: expect.stringContaining('in a message of role "system"') as unknown,
      }),
    );
  });
});

describe("plainName", () => {
  it.each([
    ["look-up_1", "look-up_1"],
    ["look up.äb", "look_up__b"],
    ["", "_"],
    ["a".repeat(64), "a".repeat(64)],
    ["a".repeat(65), "a".repeat(64)],
  ])("writes %j as %j", (name, expected) => {
    expect(plainName(name)).toBe(expected);
  });
});

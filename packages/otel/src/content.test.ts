import { createRedactor } from "@troupe/core/kit";
import { describe, expect, it } from "vitest";
import { toInput, toJsonText, toOutput, toText } from "./content.ts";
import type { ContentRules } from "./content.ts";

const rulesOf = (maxLength: number): ContentRules => ({ maxLength, redact: createRedactor(["sk-secret-1"]) });

/** The pieces of which long values are made; some are no single UTF-16 unit. */
const pieces = ["a", "é", "🎭", '"', "\n"];

describe("a text", () => {
  it.each([-1, 0, 1])("is cut where it is longer than an attribute: %i more characters", (more) => {
    const text = "x".repeat(100 + more);

    expect(toText(text, rulesOf(100))).toBe(more > 0 ? `${"x".repeat(100)}…` : text);
  });

  it("shows no key of the caller", () => {
    expect(toText("the key sk-secret-1!", rulesOf(100))).toBe("the key [redacted]!");
  });
});

describe("a value as JSON", () => {
  it.each([-1, 0, 1])("is whole up to the length of an attribute, and a cut text above: %i more characters", (more) => {
    const value = Array.from({ length: 20 }, () => 7);
    const text = JSON.stringify(value);
    const shown = toJsonText(value, rulesOf(text.length - more));

    const cut = JSON.stringify(`${text.slice(0, (text.length - more) / 2 - 2)}…`);
    expect(shown).toBe(more > 0 ? cut : text);
  });

  it.each(pieces)("is never longer than an attribute, and is JSON, where it consists of %j", (piece) => {
    for (let maxLength = 16; maxLength <= 80; maxLength++) {
      const shown = toJsonText({ list: Array.from({ length: 9 }, () => piece.repeat(3)) }, rulesOf(maxLength));
      expect(() => JSON.parse(shown) as unknown).not.toThrow();
      expect(shown.length).toBeLessThanOrEqual(maxLength);
    }
  });

  it("gives a quarter of an attribute to each string, at any depth, so that one does not hide the others", () => {
    const long = "x".repeat(400);
    const cut = `${"x".repeat(100)}…`;

    expect(JSON.parse(toJsonText({ a: long, b: [long, { c: long }] }, rulesOf(400)))).toEqual({
      a: cut,
      b: [cut, { c: cut }],
    });
    expect(JSON.parse(toJsonText(long, rulesOf(400)))).toBe(cut);
  });

  it("masks secrets by their name and by their text, at any depth", () => {
    const value = { apiKey: "a", list: [{ password: { deep: 1 } }, "sk-secret-1"], sk: "key sk-secret-1" };

    expect(JSON.parse(toJsonText(value, rulesOf(1000)))).toEqual({
      apiKey: "[redacted]",
      list: [{ password: "[redacted]" }, "[redacted]"],
      sk: "key [redacted]",
    });
  });

  it.each<[string, unknown, unknown]>([
    ["nothing", undefined, null],
    ["a big integer", 12n, "12"],
    ["bytes", new Uint8Array(3), "[3 bytes]"],
    ["a function", { a: () => 1, b: 2 }, { b: 2 }],
  ])("stands for %s", (_, value, shown) => {
    expect(JSON.parse(toJsonText(value, rulesOf(1000)))).toEqual(shown);
  });

  it.each([199, 200, 201])("has at most 200 entries of a list and of an object: %i", (count) => {
    const list = Array.from({ length: count }, (_, index) => index);
    const shown = JSON.parse(toJsonText([list, Object.fromEntries(list.entries())], rulesOf(10_000))) as object[];

    expect(shown.map((each) => Object.keys(each).length)).toEqual(Array(2).fill(Math.min(count, 200)));
  });

  it.each([15, 16, 17])("ends at the sixteenth level: %i", (depth) => {
    let value: unknown = ["end"];
    for (let level = 1; level < depth; level++) value = [value];

    expect(toJsonText(value, rulesOf(1000)).includes("end")).toBe(depth <= 16);
    expect(toJsonText(value, rulesOf(1000)).includes("[…]")).toBe(depth > 16);
  });
});

describe("the input of a model", () => {
  const user = (content: string) => ({ role: "user" as const, content });
  const shownUser = (content: string) => ({ role: "user", parts: [{ type: "text", content }] });

  it("has the instructions apart, and calls, results and files in the form of the conventions", () => {
    const { instructions, messages } = toInput(
      [
        { role: "system", content: "Be kind." },
        user("Où?"),
        { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "find", arguments: { token: "t", a: 1 } }] },
        { role: "tool", content: "Là.", toolCallId: "c1" },
        {
          role: "user",
          content: [
            { type: "image", data: "aQ==", mimeType: "image/png" },
            { type: "file", data: "aQ==", mimeType: "text/plain" },
          ],
        },
      ],
      rulesOf(4000),
    );

    expect(JSON.parse(instructions ?? "")).toEqual([{ type: "text", content: "Be kind." }]);
    expect(JSON.parse(messages)).toEqual([
      shownUser("Où?"),
      {
        role: "assistant",
        parts: [{ type: "tool_call", id: "c1", name: "find", arguments: { token: "[redacted]", a: 1 } }],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "Là." }] },
      {
        role: "user",
        parts: [
          { type: "blob", modality: "image", mime_type: "image/png" },
          { type: "blob", modality: "document", mime_type: "text/plain" },
        ],
      },
    ]);
    expect(toInput([user("a")], rulesOf(100)).instructions).toBeUndefined();
  });

  it("has the newest messages that fit, whole, and never more than an attribute", () => {
    const contents = ["a", "éé", "🎭🎭🎭", "dddd"];
    const all = contents.map(shownUser);
    for (let maxLength = 2; maxLength <= JSON.stringify(all).length + 2; maxLength++) {
      const { messages } = toInput(contents.map(user), { ...rulesOf(maxLength), redact: (text) => text });
      const from = all.findIndex((_, index) => JSON.stringify(all.slice(index)).length <= messages.length);

      expect(messages.length).toBeLessThanOrEqual(maxLength);
      expect(JSON.parse(messages)).toEqual(from < 0 ? [] : all.slice(from));
      // One message more would not have fitted. A comma is counted for the first one too.
      const more = JSON.stringify(all.slice((from < 0 ? all.length : from) - 1)).length;
      expect(from === 0 || more + 1 > maxLength).toBe(true);
    }
  });
});

it.each([
  [undefined, "stop"],
  ["stop", "stop"],
  ["tool_calls", "tool_call"],
  ["length", "length"],
])("an answer has its text, its calls and its finish reason: %s", (finishReason, written) => {
  const toolCalls = [{ id: "c1", name: "find", arguments: { a: "sk-secret-1" } }];

  expect(JSON.parse(toOutput({ text: "Là.", toolCalls, finishReason }, rulesOf(1000)))).toEqual([
    {
      role: "assistant",
      parts: [
        { type: "text", content: "Là." },
        { type: "tool_call", id: "c1", name: "find", arguments: { a: "[redacted]" } },
      ],
      finish_reason: written,
    },
  ]);
  expect(JSON.parse(toOutput({ text: "", finishReason }, rulesOf(1000)))).toEqual([
    { role: "assistant", parts: [], finish_reason: written },
  ]);
});

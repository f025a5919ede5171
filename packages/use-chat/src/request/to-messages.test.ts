import { describe, expect, it } from "vitest";
import { toHistory, toInput } from "./to-messages.ts";
import type { SentMessage, UiPart } from "./read-chat.ts";

const text = (said: string): UiPart => ({ type: "text", text: said });
const user = (...parts: UiPart[]): SentMessage => ({ id: "u1", role: "user", parts });
const answer = (...parts: UiPart[]): SentMessage => ({ id: "a1", role: "assistant", parts });
const step: UiPart = { type: "step-start" };
const call = (more: object = {}): UiPart => ({
  type: "tool-look",
  toolCallId: "c1",
  state: "output-available",
  input: { for: "tea" },
  output: "found",
  ...more,
});
const called = (result: string, args: object = { for: "tea" }): object[] => [
  { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "look", arguments: args }] },
  { role: "tool", content: result, toolCallId: "c1", name: "look" },
];

describe("toInput", () => {
  it.each<[string, UiPart[], unknown]>([
    ["a text", [text("Hello.")], "Hello."],
    ["several texts", [text("a"), text(""), text("b")], "a\n\nb"],
    ["a text beside the page's own data", [{ type: "data-mood", text: "x" }, step, text("a")], "a"],
    ["nothing but data", [{ type: "data-mood" }], ""],
    [
      "an image",
      [{ type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==", filename: "a.png" }],
      [{ type: "image", data: "data:image/png;base64,AA==", mimeType: "image/png" }],
    ],
    [
      "a sound",
      [{ type: "file", mediaType: "audio/wav", url: "https://example.org/a" }],
      [{ type: "audio", data: "https://example.org/a", mimeType: "audio/wav" }],
    ],
    [
      "a file with its name, behind a text",
      [text("See:"), { type: "file", mediaType: "application/pdf", url: "https://example.org/a", filename: "a.pdf" }],
      [
        { type: "text", text: "See:" },
        { type: "file", data: "https://example.org/a", mimeType: "application/pdf", filename: "a.pdf" },
      ],
    ],
    [
      "a file without a name, of a type that only begins like an image",
      [{ type: "file", mediaType: "imagery/x", url: "https://example.org/a" }],
      [{ type: "file", data: "https://example.org/a", mimeType: "imagery/x" }],
    ],
  ])("reads %s", (_, parts, input) => {
    expect(toInput(user(...parts))).toEqual(input);
  });
});

describe("toHistory", () => {
  it.each<[string, SentMessage[], object[]]>([
    ["nothing", [], []],
    [
      "question and answer",
      [user(text("Tea?")), answer(text("Yes"), text("."))],
      [
        { role: "user", content: "Tea?" },
        { role: "assistant", content: "Yes." },
      ],
    ],
    [
      "no message for an answer that says nothing",
      [answer(), answer(step, text(""), { type: "reasoning", text: "Hm." })],
      [],
    ],
    [
      "each step as a message",
      [answer(step, text("a"), step, step, text("b"))],
      [
        { role: "assistant", content: "a" },
        { role: "assistant", content: "b" },
      ],
    ],
    ["a call with its result", [answer(step, call())], called("found")],
    [
      "text, call and result of a step, and what follows",
      [answer(text("Look."), call(), step, text("Done."))],
      [
        { ...called("found")[0], content: "Look." },
        called("found")[1] as object,
        { role: "assistant", content: "Done." },
      ],
    ],
    [
      "a call whose tool has hyphens in its name",
      [answer(step, call({ type: "tool-look-up-é" }))],
      [
        { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "look-up-é", arguments: { for: "tea" } }] },
        { role: "tool", content: "found", toolCallId: "c1", name: "look-up-é" },
      ],
    ],
    ["a call of a dynamic tool", [answer(call({ type: "dynamic-tool", toolName: "look" }))], called("found")],
    ["the text of a failed call", [answer(call({ state: "output-error", errorText: "No tea." }))], called("No tea.")],
    ["a failed call without a text", [answer(call({ state: "output-error" }))], called("null")],
    ["a result as JSON", [answer(call({ output: { n: [1] } }))], called('{"n":[1]}')],
    ["the results 0, false and null", [answer(call({ output: 0 }))], called("0")],
    ["an empty result", [answer(call({ output: "" }))], called("")],
    ["no result as null", [answer(call({ output: undefined }))], called("null")],
    ["arguments that are no object as none", [answer(call({ input: [1] }))], called("found", {})],
    ["null as arguments as none", [answer(call({ input: null }))], called("found", {})],
  ])("converts %s", (_, messages, history) => {
    expect(toHistory(messages)).toEqual(history);
  });

  it.each<[string, object]>([
    ["that is not settled", { state: "input-available" }],
    ["whose input streams", { state: "input-streaming" }],
    ["without a state", { state: undefined }],
    ["without an id", { toolCallId: undefined }],
    ["with a number as id", { toolCallId: 7 }],
    ["of a dynamic tool without a name", { type: "dynamic-tool" }],
    ["that is no tool", { type: "toolbox-look" }],
  ])("leaves out a call %s", (_, more) => {
    expect(toHistory([answer(call(more), text("a"))])).toEqual([{ role: "assistant", content: "a" }]);
  });

  it("keeps several calls of a step before their results", () => {
    const second = { id: "c2", name: "look", arguments: {} };
    const history = toHistory([answer(call(), call({ toolCallId: "c2", input: {}, output: "2" }))]);

    expect(history.map(({ role }) => role)).toEqual(["assistant", "tool", "tool"]);
    expect(history[0]?.toolCalls).toHaveLength(2);
    expect(history[0]?.toolCalls?.[1]).toEqual(second);
    expect(history.slice(1).map(({ toolCallId, content }) => [toolCallId, content])).toEqual([
      ["c1", "found"],
      ["c2", "2"],
    ]);
  });
});

import type { ChatMessage, ContentPart } from "@troupe/core";
import { describe, expect, it } from "vitest";
import type { RequestContext } from "./request-context.ts";
import { contextOf } from "./test/request-context.ts";
import { toContents } from "./to-contents.ts";

type Call = { id: string; name: string; arguments: Record<string, unknown> };

const call = (id: string, name = "look"): Call => ({ id, name, arguments: { of: id } });
const user = (content: ChatMessage["content"]): ChatMessage => ({ role: "user", content });
const said = (content: string, ...toolCalls: Call[]): ChatMessage => ({
  role: "assistant",
  content,
  ...(toolCalls.length > 0 && { toolCalls }),
});
const result = (toolCallId: string, content: ChatMessage["content"]): ChatMessage => ({
  role: "tool",
  toolCallId,
  content,
});
const asked = { role: "user", parts: [{ text: "Rain?" }] };
const called = (of: string, name = "look") => ({ functionCall: { name, args: { of } } });
const first = { thoughtSignature: "skip_thought_signature_validator" };
const response = (output: string, more: object = {}) => ({
  functionResponse: { name: "look", response: { output }, ...more },
});
const image = (mimeType: string, data = "AAAA"): ContentPart => ({ type: "image", data, mimeType });
const inline = (mimeType: string) => ({ inlineData: { mimeType, data: "AAAA" } });
const pdf: ContentPart = { type: "file", data: "AAAA", mimeType: "application/pdf" };

/** The contents of a conversation, and what they leave out. */
function convert(messages: readonly ChatMessage[], rules: Partial<RequestContext["rules"]> = {}) {
  const omitted: string[] = [];
  const reportOmitted = (...words: (string | undefined)[]): void => void omitted.push(words.join(": "));
  const { context } = contextOf(rules, { reportOmitted });
  return { contents: toContents(messages, context), omitted };
}

describe("the results of calls", () => {
  it("stand in the order of the calls, before all else that is said then, and each once", () => {
    const { contents, omitted } = convert([
      user("Rain?"),
      said("Hm.", call("a"), call("b")),
      user("Quick!"),
      result("b", "sun"),
      result("a", "rain"),
      result("a", "again"),
    ]);

    expect(contents).toEqual([
      asked,
      { role: "model", parts: [{ text: "Hm." }, { ...called("a"), ...first }, called("b")] },
      { role: "user", parts: [response("rain"), response("sun"), { text: "Quick!" }] },
    ]);
    expect(omitted).toEqual(["a tool result: no call before it has its id: messages"]);
  });

  it("belong to the last answer, and are no longer taken after the next one", () => {
    const { contents, omitted } = convert([
      user("Rain?"),
      said("", call("a")),
      said("Never mind.", call("b")),
      result("a", "late"),
      result("b", "now"),
    ]);

    expect(contents).toEqual([
      asked,
      { role: "model", parts: [{ ...called("a"), ...first }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { error: "not executed" } } }] },
      { role: "model", parts: [{ text: "Never mind." }, { ...called("b"), ...first }] },
      { role: "user", parts: [response("now")] },
    ]);
    expect(omitted).toHaveLength(1);
  });

  it("go to the calls in turn where several have one id", () => {
    const { contents } = convert([user("Rain?"), said("", call("a"), call("a")), result("a", "1"), result("a", "2")]);

    expect(contents[2]).toEqual({ role: "user", parts: [response("1"), response("2")] });
  });

  it("join texts by lines, and hold media that fit by their data", () => {
    const url: ContentPart = { type: "image", data: "https://93.184.215.14/a.png", mimeType: "image/png" };
    const text = (value: string): ContentPart => ({ type: "text", text: value });
    const content = [text("one"), image("image/png"), image("image/heic"), text("two"), pdf, url];
    const { contents } = convert([user("Rain?"), said("", call("a")), result("a", content)]);

    const parts = [inline("image/png"), inline("application/pdf")];
    const fileData = { fileUri: "https://93.184.215.14/a.png", mimeType: "image/png" };
    expect(contents[2]).toEqual({
      role: "user",
      parts: [response("one\ntwo", { parts }), inline("image/heic"), { fileData }],
    });
  });

  it.each(["image/png", "image/jpeg", "image/webp"])("hold %s", (mimeType) => {
    const { contents } = convert([user("Rain?"), said("", call("a")), result("a", [image(mimeType)])]);

    expect(contents[2]).toEqual({ role: "user", parts: [response("", { parts: [inline(mimeType)] })] });
  });

  it("are followed by all media where the model takes none within", () => {
    const messages = [user("Rain?"), said("", call("a")), result("a", [image("image/png"), pdf])];
    const { contents } = convert(messages, { mediaInResults: false });

    expect(contents[2]).toEqual({
      role: "user",
      parts: [response(""), inline("image/png"), inline("application/pdf")],
    });
  });
});

describe("answers", () => {
  const state = (items: unknown[]) => ({ vendorState: { providerId: "google", modelId: "gemini-test", items } });

  it("answers of this model go back as they came, and their results under the vendor's ids", () => {
    const items = [{ functionCall: { id: "v1", name: "look", args: {} }, thoughtSignature: "S" }];
    const { contents } = convert([user("Rain?"), { ...said("", call("a")), ...state(items) }, result("a", "rain")]);

    expect(contents).toEqual([
      asked,
      { role: "model", parts: items },
      { role: "user", parts: [response("rain", { id: "v1" })] },
    ]);
  });

  it("answers in a row become one, without changing what the first brought along", () => {
    const items = [{ text: "One.", thoughtSignature: "S" }];
    const messages = [user("Rain?"), { ...said("One."), ...state(items) }, said("Two."), user("Well?")];

    const contents = [convert(messages).contents, convert(messages).contents];

    const parts = [{ text: "One.", thoughtSignature: "S" }, { text: "Two." }];
    expect(contents[0]).toEqual([asked, { role: "model", parts }, { role: "user", parts: [{ text: "Well?" }] }]);
    expect(contents[1]).toEqual(contents[0]);
    expect(items).toHaveLength(1);
  });

  it("answers that are empty leave the turns of the user together", () => {
    expect(convert([user("Rain?"), said(""), user("Well?")])).toEqual({
      contents: [asked, { role: "user", parts: [{ text: "Well?" }] }],
      omitted: [],
    });
  });

  it("empty answers repeat no results", () => {
    const { contents } = convert([user("Rain?"), said("", call("a")), result("a", "rain"), said(""), user("Well?")]);

    expect(contents.slice(2)).toEqual([
      { role: "user", parts: [response("rain")] },
      { role: "user", parts: [{ text: "Well?" }] },
    ]);
  });

  it("answers before the user's first words are left out, with their results, which is reported", () => {
    const { contents, omitted } = convert([said("Hello", call("a")), result("a", "rain"), user("Rain?")]);

    expect(contents).toEqual([asked]);
    expect(omitted).toEqual([
      "an assistant message: the conversation must begin with the user: messages",
      "a tool result: no call before it has its id: messages",
    ]);
  });

  it("have no signatures for models without them", () => {
    const { contents } = convert([user("Rain?"), said("", call("a", "1 b")), result("a", "")], { signatures: false });

    expect(contents[1]).toEqual({ role: "model", parts: [called("a", "_1_b")] });
  });

  it("are followed by a word of the user when they are the last", () => {
    expect(convert([user("Rain?"), said("No.")]).contents).toEqual([
      asked,
      { role: "model", parts: [{ text: "No." }] },
      { role: "user", parts: [{ text: "Continue." }] },
    ]);
  });
});

it.each<[string, ChatMessage[]]>([
  ["nothing", []],
  ["instructions", [{ role: "system", content: "Be short." }]],
  ["empty words", [user("")]],
  ["an answer", [said("Yes.")]],
])("a conversation of %s alone is refused", (_, messages) => {
  expect(() => convert(messages)).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: "google needs at least one user message that is not empty.",
    }),
  );
});

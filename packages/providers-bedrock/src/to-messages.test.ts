import type { ChatMessage, ContentPart } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import type { ModelRules } from "./model-rules.ts";
import { toMessages } from "./to-messages.ts";

const png = Buffer.from("image").toString("base64");
const user = (...content: ContentPart[]): ChatMessage => ({ role: "user", content });
const file = (filename: string, mimeType = "application/pdf"): ContentPart => ({
  type: "file",
  data: "AAAA",
  mimeType,
  filename,
});
const called = (id: string, name = "look"): ChatMessage => ({
  role: "assistant",
  content: null,
  toolCalls: [{ id, name, arguments: { at: 1 } }],
});
const result = (toolCallId: string, content: ChatMessage["content"]): ChatMessage => ({
  role: "tool",
  toolCallId,
  content,
});
const ask: ChatMessage = { role: "user", content: "Umbrella?" };

function convert(messages: ChatMessage[], rules: Partial<ModelRules> = {}, hasTools = true) {
  const { context, omitted } = contextOf(rules);
  return { messages: toMessages(messages, context, hasTools), omitted };
}

describe("content", () => {
  it("has images and documents by their formats", () => {
    const said = [
      { type: "image" as const, data: `data:image/jpg;base64,${png}` },
      file("a.csv", "text/csv; charset=utf-8"),
    ];

    expect(convert([user(...said, { type: "text", text: "What?" })]).messages).toEqual([
      {
        role: "user",
        content: [
          { image: { format: "jpeg", source: { bytes: png } } },
          { document: { format: "csv", name: "a", source: { bytes: "AAAA" } } },
          { text: "What?" },
        ],
      },
    ]);
  });

  it("gives documents legal names that differ, and words beside them", () => {
    const [message] = convert([
      user(file("Plan_für 2027.v2.pdf"), file("Plan für 2027.v2.pdf"), file(".."), file("é")),
    ]).messages;
    const names = message?.content.map((block) => ("document" in block ? block.document.name : block));

    expect(names).toEqual([
      "Plan f r 2027 v2",
      "Plan f r 2027 v2 2",
      "document",
      "document 2",
      { text: "See the attached document." },
    ]);
  });

  it.each<[string, ContentPart, Partial<ModelRules>]>([
    ["audio", { type: "audio", data: "AAAA", mimeType: "audio/wav" }, {}],
    ["a URL", { type: "image", data: "https://example.com/a.png" }, {}],
    ["an image of another type", { type: "image", data: "AAAA", mimeType: "image/tiff" }, {}],
    ["an image where the model takes none", { type: "image", data: "AAAA", mimeType: "image/png" }, { images: false }],
    ["a document where the model takes none", file("a.pdf"), { documents: false }],
    ["an archive", file("a.zip", "application/zip"), {}],
  ])("refuses %s in the last message, and tells of it in an earlier one", (_, part, rules) => {
    expect(() => convert([user(part)], rules)).toThrow(
      expect.objectContaining({ code: "unsupported_media_type" }) as Error,
    );
    const earlier = convert([user(part), { role: "assistant", content: "I see." }, ask], rules);
    expect(JSON.stringify(earlier.messages)).toContain("not shown to this model");
    expect(earlier.omitted).toHaveLength(1);
  });

  it("refuses data that is none", () => {
    expect(() => convert([user({ type: "image", data: "*" })])).toThrow(
      expect.objectContaining({ code: "invalid_request" }) as Error,
    );
  });
});

describe("results of tools", () => {
  it("stand right behind their calls, with images, and say so where they are missing or empty", () => {
    const image: ContentPart = { type: "image", data: png, mimeType: "image/png" };
    const calls = ["a", "b", "c"].map((id) => ({ id, name: "look", arguments: {} }));
    const { messages, omitted } = convert([
      ask,
      { role: "assistant", content: "Wait.", toolCalls: calls },
      result("b", [image]),
      result("a", " "),
      result("x", "lost"),
    ]);

    expect(messages[2]).toEqual({
      role: "user",
      content: [
        { toolResult: { toolUseId: "b", content: [{ image: { format: "png", source: { bytes: png } } }] } },
        { toolResult: { toolUseId: "a", content: [{ text: "(no content)" }] } },
        { toolResult: { toolUseId: "c", content: [{ text: "not executed" }] } },
      ],
    });
    expect(omitted).toEqual(["the result of a tool"]);
  });

  it("stand in words in a request without tools", () => {
    const { messages, omitted } = convert([ask, called("a"), result("a", "rain"), called("b")], {}, false);

    expect(messages).toEqual([
      { role: "user", content: [{ text: "Umbrella?" }] },
      { role: "assistant", content: [{ text: 'Called the tool look with {"at":1}.' }] },
      { role: "user", content: [{ text: "Result of the tool call:" }, { text: "rain" }] },
      { role: "assistant", content: [{ text: 'Called the tool look with {"at":1}.' }] },
      { role: "user", content: [{ text: "(not executed)" }] },
    ]);
    expect(omitted).toEqual(["the calls of tools in the messages"]);
  });

  it.each<[ModelRules["callIds"], string[], string[]]>([
    ["long", ["a.b", "a.b", "ü", "", "x".repeat(70)], ["a_b", "a_b_2", "_", "call", "x".repeat(64)]],
    ["short", ["tooluse_bpe71yCfRu2b5i-nKGDr5g", "a", "a", ""], ["5inKGDr5g", "00000000a", "000000002", "000000000"]],
  ])("have %s ids that are legal and unique", (callIds, given, expected) => {
    const { messages } = convert([ask, ...given.flatMap((id) => [called(id), result(id, "r")])], { callIds });
    const calls = messages.flatMap(({ content }) =>
      content.flatMap((b) => ("toolUse" in b ? [b.toolUse.toolUseId] : [])),
    );
    const results = messages.flatMap(({ content }) =>
      content.flatMap((b) => ("toolResult" in b ? [b.toolResult.toolUseId] : [])),
    );

    expect(calls).toEqual(results);
    expect(new Set(calls).size).toBe(given.length);
    expect(calls).toEqual(expected);
    for (const id of calls) expect(id).toMatch(callIds === "long" ? /^[\w-]{1,64}$/ : /^[a-zA-Z0-9]{9}$/);
  });
});

describe("a conversation", () => {
  it("alternates, begins and ends with the user", () => {
    const { messages, omitted } = convert([
      { role: "assistant", content: "Hello." },
      ask,
      { role: "assistant", content: " " },
      { role: "user", content: "Now?" },
      { role: "assistant", content: "Yes." },
      { role: "assistant", content: "Sure." },
    ]);

    expect(messages).toEqual([
      { role: "user", content: [{ text: "Umbrella?" }, { text: "Now?" }] },
      { role: "assistant", content: [{ text: "Yes." }, { text: "Sure." }] },
      { role: "user", content: [{ text: "Continue." }] },
    ]);
    expect(omitted).toEqual(["an answer"]);
  });

  it("a conversation that is empty is refused", () => {
    expect(() => convert([{ role: "user", content: " " }])).toThrow(
      expect.objectContaining({ code: "invalid_request" }) as Error,
    );
  });
});

describe("an answer with signed reasoning", () => {
  const items = [
    { reasoningContent: { reasoningText: { text: " Hm.", signature: "s" } } },
    { toolUse: { toolUseId: "a", name: "look at!", input: { at: 1 } } },
  ];
  const answer = (modelId: string, id = "a"): ModelMessage => ({
    ...called(id, "look at!"),
    vendorState: { providerId: "bedrock", modelId, items },
  });
  const sentFor = (message: ModelMessage, hasTools = true) =>
    convert([ask, message, result(message.toolCalls?.[0]?.id ?? "", "rain")], {}, hasTools).messages[1]?.content;

  it("goes back to its model as it came, with a legal name", () => {
    expect(sentFor(answer("us.amazon.nova-pro-v1:0"))).toEqual([
      items[0],
      { toolUse: { toolUseId: "a", name: "look_at_", input: { at: 1 } } },
    ]);
  });

  it.each<[string, ModelMessage, boolean]>([
    ["another model", answer("amazon.nova-lite-v1:0"), true],
    ["other calls", answer("us.amazon.nova-pro-v1:0", "b"), true],
    ["a request without tools", answer("us.amazon.nova-pro-v1:0"), false],
  ])("is written anew for %s", (_, message, hasTools) => {
    expect(JSON.stringify(sentFor(message, hasTools))).not.toContain("reasoningContent");
  });
});

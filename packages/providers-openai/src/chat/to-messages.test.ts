import type { ChatMessage } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { callOf } from "../../test/model-call.ts";
import type { CallSetup } from "../../test/model-call.ts";
import { toMessages } from "./to-messages.ts";

const png = Buffer.from("89504e470d0a1a0a00", "hex").toString("base64");
const image = { type: "image", data: png } as const;
const pdf = { type: "file", data: "JVBERi0x", mimeType: "application/pdf", filename: "a.pdf" } as const;
const sentImage = { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } };
const sentPdf = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" } };
const user = { role: "user", content: "Hello?" } as const;

function convert(messages: readonly ChatMessage[], setup: CallSetup = {}, instruction?: string) {
  const { call, omitted } = callOf({}, { ...setup, messages });
  return { sent: toMessages(call, instruction), omitted };
}

describe("system messages", () => {
  it.each<[string, ChatMessage[], string | undefined, object[]]>([
    [
      "are one with the instruction",
      [{ role: "system", content: "A" }, user],
      "B",
      [{ role: "system", content: "A\n\nB" }, user],
    ],
    ["are the instruction alone", [user], "B", [{ role: "system", content: "B" }, user]],
    ["are left out when they are empty", [{ role: "system", content: "" }, user], undefined, [user]],
    [
      "stay where they are later",
      [user, { role: "system", content: "A" }],
      "B",
      [{ role: "system", content: "B" }, user, { role: "system", content: "A" }],
    ],
  ])("%s", (_, ...[messages, instruction, expected]) => {
    expect(convert(messages, {}, instruction).sent).toEqual(expected);
  });
});

describe("a message of the user", () => {
  it.each<[string, ChatMessage["content"], unknown]>([
    ["text", "A", "A"],
    ["nothing", null, ""],
    ["empty parts", [{ type: "text", text: "" }], ""],
    ["parts", [{ type: "text", text: "A" }, image, pdf], [{ type: "text", text: "A" }, sentImage, sentPdf]],
  ])("has %s", (_, content, expected) => {
    expect(convert([{ role: "user", content }]).sent).toEqual([{ role: "user", content: expected }]);
  });

  it("has sound for a model that takes it", () => {
    const content = [{ type: "audio", data: "AAAA", mimeType: "audio/wav" } as const];

    expect(convert([{ role: "user", content }], { rules: { parts: ["audio"] } }).sent).toEqual([
      { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] },
    ]);
  });

  it.each([
    ["Ann-1_", true, true],
    ["a".repeat(64), true, true],
    ["a".repeat(65), true, false],
    ["", true, false],
    ["Änn", true, false],
    ["a b", true, false],
    ["a\n", true, false],
    ["Ann", false, false],
  ])("keeps the name %j (%j): %j", (name, names, isKept) => {
    const { sent, omitted } = convert([{ ...user, name }], { rules: { names } });

    expect(sent).toEqual([isKept ? { ...user, name } : user]);
    expect(omitted).toEqual(isKept ? [] : ["name"]);
  });
});

describe("an answer", () => {
  const toolCalls = [
    { id: "c", name: "look up", arguments: { a: 1 } },
    { id: "d", name: "see", arguments: {} },
  ];
  const sentCalls = [
    { id: "c", type: "function", function: { name: "look_up", arguments: '{"a":1}' } },
    { id: "d", type: "function", function: { name: "see", arguments: "{}" } },
  ];

  it.each<[string, Partial<ModelMessage>, object[]]>([
    ["words", { content: "A", name: "bot" }, [{ content: "A", name: "bot" }]],
    ["words and calls", { content: "A", toolCalls }, [{ content: "A", tool_calls: sentCalls }]],
    ["calls alone", { content: null, toolCalls }, [{ content: null, tool_calls: sentCalls }]],
    ["one call", { content: null, toolCalls: toolCalls.slice(0, 1) }, [{ content: null, tool_calls: [sentCalls[0]] }]],
    ["no calls", { content: "A", toolCalls: [] }, [{ content: "A" }]],
    ["nothing", { content: "", toolCalls: [] }, []],
  ])("has %s", (_, message, expected) => {
    const { sent } = convert([{ role: "assistant", content: null, ...message }]);

    expect(sent).toStrictEqual(expected.map((each) => ({ role: "assistant", ...each })));
  });

  it("takes its thinking along to the model that thought it", () => {
    const vendorState = { providerId: "openai", modelId: "gpt-4.1", items: { fields: { reasoning: "Hm." } } };
    const message: ModelMessage = { role: "assistant", content: "A", vendorState };

    expect(convert([message]).sent).toEqual([{ role: "assistant", content: "A", reasoning: "Hm." }]);
    expect(convert([message], { modelId: "gpt-4o" }).sent).toEqual([{ role: "assistant", content: "A" }]);
  });
});

describe("the results of tools", () => {
  it("are text, and their files follow the last of them", () => {
    const result = (toolCallId: string, content: ChatMessage["content"]): ChatMessage => ({
      role: "tool",
      toolCallId,
      content,
    });
    const messages = [
      result("c", [{ type: "text", text: "A" }, image, { type: "text", text: "B" }]),
      result("d", "plain"),
      result("e", [pdf]),
      user,
      result("f", [{ ...image, mimeType: "image/png" }]),
    ];

    expect(convert(messages).sent).toEqual([
      { role: "tool", tool_call_id: "c", content: "A\n[image: in the next message]\nB" },
      { role: "tool", tool_call_id: "d", content: "plain" },
      { role: "tool", tool_call_id: "e", content: "[file a.pdf, application/pdf: in the next message]" },
      {
        role: "user",
        content: [
          { type: "text", text: "From the result of the tool call c:" },
          sentImage,
          { type: "text", text: "From the result of the tool call e:" },
          sentPdf,
        ],
      },
      user,
      { role: "tool", tool_call_id: "f", content: "[image, image/png: in the next message]" },
      { role: "user", content: [{ type: "text", text: "From the result of the tool call f:" }, sentImage] },
    ]);
  });
});

import type { ChatMessage } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { callOf } from "../../test/model-call.ts";
import type { CallSetup } from "../../test/model-call.ts";
import { toInput } from "./to-input.ts";

const png = Buffer.from("89504e470d0a1a0a00", "hex").toString("base64");
const image = { type: "image", data: png } as const;
const pdf = { type: "file", data: "JVBERi0x", mimeType: "application/pdf", filename: "a.pdf" } as const;
const sentImage = { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" };
const sentPdf = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" };
const user = { role: "user", content: "Hello?" } as const;
const system = { role: "system", content: "A" } as const;

function convert(messages: readonly ChatMessage[], setup: CallSetup = {}) {
  const { call, omitted } = callOf({}, { ...setup, messages });
  return { sent: toInput({ ...call, api: "responses" }), omitted };
}

describe("toInput", () => {
  it.each<[string, ChatMessage[], object]>([
    ["the first system messages as instructions", [system, user], { instructions: "A", input: [user] }],
    ["no empty instructions", [{ ...system, content: "" }, user], { input: [user] }],
    ["later ones in their place", [user, system], { input: [user, { role: "developer", content: "A" }] }],
    ["instructions alone as a message", [system, system], { input: [{ role: "developer", content: "A\n\nA" }] }],
    ["nothing as an empty message", [], { input: [{ role: "developer", content: "" }] }],
  ])("sends %s", (_, messages, expected) => {
    expect(convert(messages).sent).toStrictEqual(expected);
  });

  it("reports names once, but none of the instructions", () => {
    expect(
      convert([
        { ...user, name: "Ann" },
        { ...user, name: "Bob" },
      ]),
    ).toEqual({
      sent: { input: [user, user] },
      omitted: ["name"],
    });
    expect(convert([{ ...system, name: "x" }, user]).omitted).toEqual([]);
  });

  it.each<[string, ChatMessage["content"], unknown]>([
    ["text", "A", "A"],
    ["nothing", null, ""],
    ["empty parts", [{ type: "text", text: "" }], ""],
    [
      "parts",
      [{ type: "text", text: "A" }, image, { type: "text", text: "" }, pdf],
      [{ type: "input_text", text: "A" }, sentImage, sentPdf],
    ],
    [
      "a remote file",
      [{ type: "file", data: "https://a.example/f", mimeType: "application/pdf" }],
      [{ type: "input_file", file_url: "https://a.example/f" }],
    ],
  ])("sends a message of %s", (_, content, expected) => {
    expect(convert([{ role: "user", content }]).sent.input).toEqual([{ role: "user", content: expected }]);
  });

  it.each<[string, ChatMessage["content"], unknown]>([
    ["text", "A", "A"],
    ["nothing", null, ""],
    [
      "texts",
      [
        { type: "text", text: "A" },
        { type: "text", text: "" },
        { type: "text", text: "B" },
      ],
      "A\n\nB",
    ],
    [
      "a file",
      [{ type: "text", text: "" }, image, { type: "text", text: "B" }],
      [sentImage, { type: "input_text", text: "B" }],
    ],
  ])("sends a result of %s", (_, content, output) => {
    expect(convert([{ role: "tool", toolCallId: "c", content }]).sent.input).toEqual([
      { type: "function_call_output", call_id: "c", output },
    ]);
  });
});

describe("an answer", () => {
  const toolCalls = [{ id: "c", name: "look up", arguments: { a: 1 } }];
  const sentCall = { type: "function_call", call_id: "c", name: "look_up", arguments: '{"a":1}' };

  it.each<[string, Partial<ChatMessage>, object[]]>([
    ["words and calls", { content: "A", toolCalls }, [{ role: "assistant", content: "A" }, sentCall]],
    ["calls alone", { toolCalls }, [sentCall]],
    ["words alone", { content: "A" }, [{ role: "assistant", content: "A" }]],
  ])("has %s", (_, more, expected) => {
    expect(convert([user, { role: "assistant", content: null, ...more }]).sent.input).toEqual([user, ...expected]);
  });

  it("goes back to the model that gave it as it came, and to another in its words", () => {
    const outputItems = [{ type: "message", id: "m", content: [] }];
    const vendorState = { providerId: "openai", modelId: "gpt-4.1", items: { outputItems } };
    const message: ModelMessage = { role: "assistant", content: "A", vendorState };

    expect(convert([user, message]).sent.input).toEqual([user, ...outputItems]);
    expect(convert([user, message], { modelId: "gpt-4o" }).sent.input).toEqual([
      user,
      { role: "assistant", content: "A" },
    ]);
  });
});

import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent, defineTool } from "@troupe/core";
import type { ChatMessage, ContentPart, ModelProvider } from "@troupe/core";
import { google } from "@troupe/providers-google";
import { openai } from "@troupe/providers-openai";
import { expect, it, onTestFinished } from "vitest";
import { pdf, png } from "./conversation.ts";
import { connect } from "./vendors.ts";

const image: ContentPart = { type: "image", data: png, mimeType: "image/png" };
const file: ContentPart = { type: "file", data: pdf, mimeType: "application/pdf", filename: "a.pdf" };
const sound: ContentPart = { type: "audio", data: "SUQzAA==", mimeType: "audio/mpeg" };
const results: Record<string, ContentPart[]> = {
  first: [{ type: "text", text: "Seen" }, image],
  second: [file, image, sound],
};
const noSound = "[audio, audio/mpeg: not shown to this model]";
const noPdf = "[file a.pdf, application/pdf: not shown to this model]";
const pngUrl = `data:image/png;base64,${png}`;
const pdfUrl = `data:application/pdf;base64,${pdf}`;
const inlinePng = { inlineData: { mimeType: "image/png", data: png } };
const inlinePdf = { inlineData: { mimeType: "application/pdf", data: pdf } };
const inlineSound = { inlineData: { mimeType: "audio/mpeg", data: "SUQzAA==" } };

/** Returns what follows the calls in the second request of a run with two parallel calls of a tool that shows files. */
async function sentAfterCalls(model: (url: string) => ModelProvider): Promise<unknown[]> {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  const toolCalls = Object.keys(results).map((which) => ({ id: `call_${which}`, name: "look", arguments: { which } }));
  vendor.say({ toolCalls }, "A dot.");
  const look = defineTool({
    name: "look",
    description: "Shows files.",
    parameters: { type: "object", properties: { which: { type: "string" } } },
    execute: ({ which }) => results[String(which)] ?? [],
  });
  const output = await new Agent({ name: "viewer", model: model(vendor.url), tools: [look] }).run("Look", {
    apiKey: "key-1",
  });

  vendor.assertDone();
  expect(output.text).toBe("A dot.");
  expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  const body = vendor.exchanges[1]?.request.body as Record<string, unknown[] | undefined>;
  const messages = body["input"] ?? body["contents"] ?? body["messages"] ?? [];
  return messages.slice(
    messages.findLastIndex((message) =>
      /"(?:function_call|tool_calls|tool_use|functionCall)"/.test(JSON.stringify(message)),
    ) + 1,
  );
}

it("Responses get images and files of tools within the results [tools.result-parts]", async () => {
  expect(await sentAfterCalls(connect.openai)).toEqual([
    {
      type: "function_call_output",
      call_id: "call_first",
      output: [
        { type: "input_text", text: "Seen" },
        { type: "input_image", image_url: pngUrl, detail: "auto" },
      ],
    },
    {
      type: "function_call_output",
      call_id: "call_second",
      output: [
        { type: "input_file", filename: "a.pdf", file_data: pdfUrl },
        { type: "input_image", image_url: pngUrl, detail: "auto" },
        { type: "input_text", text: noSound },
      ],
    },
  ]);
});

it("Chat Completions get images and files of tools in a user message after all results [tools.result-parts]", async () => {
  const model = (url: string) =>
    openai("gpt-4.1", { baseURL: `${url}/v1`, api: "chat", rules: { parts: ["image", "file"] } });

  expect(await sentAfterCalls(model)).toEqual([
    { role: "tool", tool_call_id: "call_first", content: "Seen\n[image, image/png: in the next message]" },
    {
      role: "tool",
      tool_call_id: "call_second",
      content: `[file a.pdf, application/pdf: in the next message]\n[image, image/png: in the next message]\n${noSound}`,
    },
    {
      role: "user",
      content: [
        { type: "text", text: "From the result of the tool call call_first:" },
        { type: "image_url", image_url: { url: pngUrl } },
        { type: "text", text: "From the result of the tool call call_second:" },
        { type: "file", file: { filename: "a.pdf", file_data: pdfUrl } },
        { type: "image_url", image_url: { url: pngUrl } },
      ],
    },
  ]);
});

it("files of a tool stand before the next answer through Chat Completions [tools.result-parts]", async () => {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  vendor.say("Seen.");
  const look = (id: string): ChatMessage[] => [
    { role: "assistant", content: null, toolCalls: [{ id, name: "look", arguments: {} }] },
    { role: "tool", toolCallId: id, content: [image] },
  ];
  const model = openai("gpt-4.1", { baseURL: `${vendor.url}/v1`, api: "chat", apiKey: "key-1" });
  await model.generate([{ role: "user", content: "Look twice" }, ...look("a"), ...look("b")]);

  const body = vendor.exchanges[0]?.request.body as { messages: ChatMessage[] } | undefined;
  expect(body?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "user",
    "assistant",
    "tool",
    "user",
  ]);
});

it("a model without eyes gets words for what a tool shows, and no empty message [tools.result-parts]", async () => {
  const model = (url: string) => openai("gpt-3.5-turbo", { baseURL: `${url}/v1`, api: "chat" });
  const noImage = "[image, image/png: not shown to this model]";

  expect(await sentAfterCalls(model)).toEqual([
    { role: "tool", tool_call_id: "call_first", content: `Seen\n${noImage}` },
    { role: "tool", tool_call_id: "call_second", content: `${noPdf}\n${noImage}\n${noSound}` },
  ]);
});

it("Anthropic gets images and documents of tools within the results [tools.result-parts]", async () => {
  const imageBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };

  expect(await sentAfterCalls(connect.anthropic)).toEqual([
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_first", content: [{ type: "text", text: "Seen" }, imageBlock] },
        {
          type: "tool_result",
          tool_use_id: "call_second",
          content: [
            { type: "document", title: "a.pdf", source: { type: "base64", media_type: "application/pdf", data: pdf } },
            imageBlock,
            { type: "text", text: noSound },
          ],
          cache_control: { type: "ephemeral" },
        },
      ],
    },
  ]);
});

it.each(["google", "vertex"] as const)(
  "Gemini 3 of %s gets images and documents of tools within the results, and other media after them [tools.result-parts]",
  async (vendor) => {
    const id = (call: string) => (vendor === "google" ? { id: call } : {});

    expect(await sentAfterCalls(connect[vendor])).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { ...id("call_first"), name: "look", response: { output: "Seen" }, parts: [inlinePng] } },
          {
            functionResponse: {
              ...id("call_second"),
              name: "look",
              response: { output: "" },
              parts: [inlinePdf, inlinePng],
            },
          },
          inlineSound,
        ],
      },
    ]);
  },
);

it("Gemini 2.5 gets media of tools after all results [tools.result-parts]", async () => {
  expect(await sentAfterCalls((url) => google("gemini-2.5-flash", { baseURL: url }))).toEqual([
    {
      role: "user",
      parts: [
        { functionResponse: { name: "look", response: { output: "Seen" } } },
        { functionResponse: { name: "look", response: { output: "" } } },
        inlinePng,
        inlinePdf,
        inlinePng,
        inlineSound,
      ],
    },
  ]);
});

it("Ollama gets images of tools with the results, and words for other files [tools.result-parts]", async () => {
  expect(await sentAfterCalls(connect.ollama)).toEqual([
    { role: "tool", content: "Seen", images: [png], tool_name: "look", tool_call_id: "call_first" },
    { role: "tool", content: `${noPdf}\n${noSound}`, images: [png], tool_name: "look", tool_call_id: "call_second" },
  ]);
});

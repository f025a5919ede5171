import type { ContentPart } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { openai } from "./index.ts";
import type { OpenAIOptions } from "./index.ts";
import { failureOf, lastBody, modelOf, startVendor, streamed } from "../test/ask.ts";

const png = Buffer.from("89504e470d0a1a0a00", "hex").toString("base64");
const text = Buffer.from("a;b").toString("base64");
const toolCall = { id: "call_1", name: "look", arguments: {} };
const web = "https://example.com/file";

type Setup = OpenAIOptions & { modelId?: string };

/** Returns a part as it arrives. */
async function sent(part: ContentPart, config: Setup): Promise<unknown> {
  const vendor = (await startVendor({ strict: false })).say("Yes.");
  await modelOf(vendor, config).generate([{ role: "user", content: [part] }]);
  const { input, messages } = lastBody(vendor) as Record<string, { content: unknown[] }[]>;
  return (input ?? messages)?.[0]?.content[0];
}

describe("a part of a message", () => {
  it.each<[what: string, part: ContentPart, expected: object]>([
    [
      "an image",
      { type: "image", data: png },
      { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" },
    ],
    ["an image behind a URL", { type: "image", data: web }, { type: "input_image", image_url: web, detail: "auto" }],
    [
      "a file that is an image",
      { type: "file", data: png, mimeType: "image/png" },
      { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" },
    ],
    [
      "a PDF",
      { type: "file", data: "JVBERi0x", mimeType: "application/pdf", filename: "a.pdf" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" },
    ],
    [
      "a PDF behind a URL",
      { type: "file", data: web, mimeType: "application/pdf" },
      { type: "input_file", file_url: web },
    ],
    [
      "a file of text",
      { type: "file", data: text, mimeType: "text/csv; charset=utf-8", filename: "a.csv" },
      { type: "input_text", text: "File: a.csv\na;b" },
    ],
  ])("goes to Responses: %s", async (_what, part, expected) => {
    expect(await sent(part, {})).toEqual(expected);
  });

  it.each<[what: string, part: ContentPart, expected: object]>([
    [
      "an image",
      { type: "image", data: png },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    ],
    ["an image behind a URL", { type: "image", data: web }, { type: "image_url", image_url: { url: web } }],
    [
      "a PDF",
      { type: "file", data: "JVBERi0x", mimeType: "application/pdf" },
      { type: "file", file: { filename: "file.pdf", file_data: "data:application/pdf;base64,JVBERi0x" } },
    ],
    [
      "a file of text",
      { type: "file", data: text, mimeType: "application/json" },
      { type: "text", text: "File: unnamed\na;b" },
    ],
  ])("goes through Chat Completions: %s", async (_what, part, expected) => {
    expect(await sent(part, { api: "chat" })).toEqual(expected);
  });

  it("goes to models that hear when it is a sound, and to those that nobody here knows", async () => {
    const mp3: ContentPart = { type: "audio", data: "SUQzAA==", mimeType: "audio/mpeg" };
    const wav: ContentPart = { type: "audio", data: "AAAA", mimeType: "audio/x-wav" };

    expect(await sent(mp3, { api: "chat", modelId: "gpt-audio" })).toEqual({
      type: "input_audio",
      input_audio: { data: "SUQzAA==", format: "mp3" },
    });
    expect(await sent(wav, { api: "chat", modelId: "qwen-4-omni" })).toEqual({
      type: "input_audio",
      input_audio: { data: "AAAA", format: "wav" },
    });
  });

  it.each<[what: string, part: ContentPart, config: Setup]>([
    ["a sound through Responses", { type: "audio", data: "SUQzAA==", mimeType: "audio/mpeg" }, {}],
    ["a sound", { type: "audio", data: "SUQzAA==", mimeType: "audio/mpeg" }, { api: "chat" }],
    ["a sound through Responses, by a model that hears", { type: "audio", data: "SUQzAA==" }, { modelId: "gpt-audio" }],
    ["a sound in a rare form", { type: "audio", data: "T2dnUw==" }, { api: "chat", modelId: "gpt-audio" }],
    [
      "a sound behind a URL",
      { type: "audio", data: web, mimeType: "audio/wav" },
      { api: "chat", modelId: "gpt-audio" },
    ],
    ["an image in a rare form", { type: "image", data: "AAAA", mimeType: "image/tiff" }, {}],
    ["an image in no known form", { type: "image", data: "AAAA" }, {}],
    ["an image for a model without eyes", { type: "image", data: png }, { api: "chat", modelId: "gpt-3.5-turbo" }],
    ["an image, by a rule of the caller's", { type: "image", data: png }, { rules: { parts: [] } }],
    ["a PDF behind a URL", { type: "file", data: web, mimeType: "application/pdf" }, { api: "chat" }],
    ["an archive", { type: "file", data: "UEsDBA==", mimeType: "application/zip" }, {}],
    ["text behind a URL", { type: "file", data: web, mimeType: "text/plain" }, {}],
  ])("is refused before the vendor is asked: %s", async (_what, part, config) => {
    const vendor = await startVendor();
    const model = modelOf(vendor, config);
    const messages = [{ role: "user" as const, content: [part] }];

    for (const error of [await failureOf(model.generate(messages)), await failureOf(streamed(model, {}, messages))]) {
      expect(error.code).toBe("unsupported_media_type");
      expect(error.message).toContain(`${model.modelId} of openai takes no ${part.type} part`);
      expect(error.fields).toEqual({ vendor: "openai", model: model.modelId, part: part.type });
    }
    expect(vendor.exchanges).toEqual([]);
  });

  it("is refused as the caller's mistake when its data is broken", async () => {
    const vendor = await startVendor();
    const content: ContentPart[] = [{ type: "image", data: "no base64!" }];

    const error = await failureOf(modelOf(vendor).generate([{ role: "user", content }]));

    expect(error).toMatchObject({ code: "invalid_request", fields: { part: "image" } });
  });

  it.each(["responses", "chat"] as const)(
    "is told of in words through %s once another model took it, or said it",
    async (api) => {
      const vendor = (await startVendor()).say("Yes.");
      const sound: ContentPart = { type: "audio", data: "SUQzAA==", mimeType: "audio/mpeg" };
      await modelOf(vendor, { api }).generate([
        { role: "user", content: [{ type: "text", text: "Hear:" }, sound] },
        { role: "assistant", content: [{ type: "text", text: "Here:" }, sound], toolCalls: [toolCall] },
        { role: "tool", toolCallId: toolCall.id, content: [sound] },
        { role: "user", content: "And?" },
      ]);

      const words = "[audio, audio/mpeg: not shown to this model]";
      const { input, messages } = lastBody(vendor);
      const [asked, answer, ...rest] = (input ?? messages) as object[];
      expect(asked).toMatchObject({ content: [{ text: "Hear:" }, { text: words }] });
      expect(answer).toMatchObject({ role: "assistant", content: `Here:\n${words}` });
      expect(rest).toContainEqual(expect.objectContaining({ [api === "chat" ? "content" : "output"]: words }));
    },
  );

  it("is text alone in a system message", async () => {
    const vendor = await startVendor();
    const message = { role: "system" as const, content: [{ type: "image" as const, data: png }] };

    expect(await failureOf(modelOf(vendor).generate([message]))).toMatchObject({ code: "unsupported_media_type" });
    expect(vendor.exchanges).toEqual([]);
  });
});

it("readPart asks OpenAI through Chat Completions only when there is sound and the model hears", async () => {
  const abort = AbortSignal.abort();
  const content: ContentPart[] = [{ type: "audio", data: web, mimeType: "audio/wav" }];
  const model = openai("gpt-audio", { apiKey: "sk-test" });
  const deaf = openai("gpt-6.1-sol", { apiKey: "sk-test" });

  expect((await failureOf(model.generate([{ role: "user", content }]))).message).toContain("Chat Completions");
  expect((await failureOf(deaf.generate([{ role: "user", content }]))).message).toContain("Responses");
  expect((await failureOf(model.generate([], { signal: abort }))).code).toBe("cancelled");
});

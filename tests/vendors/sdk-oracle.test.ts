import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import { collectResponse } from "@troupe/core/adapter";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { contentRows } from "./oracle/content-rows.ts";
import type { OracleRow, SdkParams } from "./oracle/oracle-row.ts";
import { settingRows } from "./oracle/setting-rows.ts";
import { vendorRows } from "./oracle/vendor-rows.ts";

const question = "Umbrella?";
const answer = '{"city":"Oslo"}';
const asked = [{ role: "user" as const, content: question }];

/** A vendor's library, called by the params of one row, and the model of ours that must send and read the same. */
type Oracle = {
  models: Readonly<Record<string, (url: string) => ModelProvider>>;
  /** Calls the library. Returns the text of the answer. */
  call(url: string, params: object, stream: boolean): Promise<string>;
};

const keyed = { apiKey: "key-1", maxRetries: 0 };

async function textOf<Event>(events: AsyncIterable<Event>, read: (event: Event) => string | undefined | null) {
  let text = "";
  for await (const event of events) text += read(event) ?? "";
  return text;
}

const oracles: { readonly [Vendor in keyof SdkParams]: Oracle } = {
  responses: {
    models: {
      "our HTTP": (url) => openai("gpt-6.1-sol", { apiKey: "key-1", baseURL: `${url}/v1`, api: "responses" }),
      "the caller's client": (url) =>
        openai("gpt-6.1-sol", { client: new OpenAI({ ...keyed, baseURL: `${url}/v1` }), api: "responses" }),
    },
    async call(url, params, stream) {
      const { responses } = new OpenAI({ ...keyed, baseURL: `${url}/v1` });
      const base = {
        model: "gpt-6.1-sol",
        store: false,
        input: asked,
        include: ["reasoning.encrypted_content" as const],
      };
      if (!stream) return (await responses.create({ ...base, ...params })).output_text;
      const events = await responses.create({ ...base, ...params, stream });
      return await textOf(events, (event) => (event.type === "response.output_text.delta" ? event.delta : ""));
    },
  },
  chat: {
    models: {
      "our HTTP": (url) => openai("gpt-4.1", { apiKey: "key-1", baseURL: `${url}/v1`, api: "chat" }),
      "the caller's client": (url) =>
        openai("gpt-4.1", { client: new OpenAI({ ...keyed, baseURL: `${url}/v1` }), api: "chat" }),
    },
    async call(url, params, stream) {
      const { completions } = new OpenAI({ ...keyed, baseURL: `${url}/v1` }).chat;
      const base = { model: "gpt-4.1", messages: asked };
      if (!stream) return (await completions.create({ ...base, ...params })).choices[0]?.message.content ?? "";
      const chunks = await completions.create({ ...base, ...params, stream });
      return await textOf(chunks, (chunk) => chunk.choices[0]?.delta.content);
    },
  },
  anthropic: {
    models: {
      "our HTTP": (url) => anthropic("claude-haiku-4-5", { apiKey: "key-1", baseURL: url, promptCache: false }),
      "the caller's client": (url) =>
        anthropic("claude-haiku-4-5", { client: new Anthropic({ ...keyed, baseURL: url }), promptCache: false }),
    },
    async call(url, params, stream) {
      const { messages } = new Anthropic({ ...keyed, baseURL: url });
      const content = [{ type: "text" as const, text: question }];
      const base = { model: "claude-haiku-4-5", max_tokens: 16_384, messages: [{ role: "user" as const, content }] };
      const isElder = ["temperature", "top_p", "top_k"].some((field) => field in params);
      // With a timeout of its own, the library asks for long answers as a whole too.
      const options = { timeout: 900_000, headers: { "anthropic-version": isElder ? "2023-06-01" : "2026-10-21" } };
      if (!stream) {
        const message = await messages.create({ ...base, ...params }, options);
        return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      }
      const events = await messages.create({ ...base, ...params, stream }, options);
      return await textOf(events, (event) =>
        event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : "",
      );
    },
  },
  google: {
    models: {
      "our HTTP": (url) => google("gemini-2.5-flash", { apiKey: "key-1", baseURL: url }),
      "the caller's client": (url) => google("gemini-2.5-flash", { client: geminiClient(url) }),
    },
    async call(url, params, stream) {
      const { models } = geminiClient(url);
      const base = { model: "gemini-2.5-flash", contents: [{ role: "user", parts: [{ text: question }] }] };
      if (!stream) return (await models.generateContent({ ...base, ...params })).text ?? "";
      return await textOf(await models.generateContentStream({ ...base, ...params }), ({ text }) => text);
    },
  },
  ollama: {
    models: {
      "our HTTP": (url) => ollama("qwen3:8b", { baseURL: url }),
      "the caller's client": (url) => ollama("qwen3:8b", { client: new Ollama({ host: url }) }),
    },
    async call(url, params, stream) {
      const client = new Ollama({ host: url });
      const base = { model: "qwen3:8b", messages: asked };
      if (!stream) return (await client.chat({ ...base, ...params, stream })).message.content;
      return await textOf(await client.chat({ ...base, ...params, stream }), ({ message }) => message.content);
    },
  },
};

function geminiClient(baseUrl: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: "key-1", enterprise: false, apiVersion: "v1beta", httpOptions: { baseUrl } });
}

/** The body of the last request, without what tells a stream from a whole answer. */
function lastBody(vendor: FakeVendor): object {
  const sent = vendor.exchanges.at(-1)?.request.body as Record<string, unknown> | undefined;
  const { stream: _, stream_options: __, ...body } = sent ?? {};
  // The library of Gemini leaves out what is empty.
  const { generationConfig, ...others } = body;
  return Object.keys(generationConfig ?? {}).length === 0 ? others : body;
}

const rows: [title: string, row: OracleRow][] = [
  ["nothing but a question", { sdk: {} }],
  ...[...Object.entries(settingRows), ...Object.entries(contentRows)].flatMap(([name, variants]) =>
    Object.entries<OracleRow>(variants).map(([variant, row]): [string, OracleRow] => [`${name}: ${variant}`, row]),
  ),
  ...Object.entries(vendorRows).map(([name, row]): [string, OracleRow] => [`the vendor's own ${name}`, row]),
];

const cases = (Object.keys(oracles) as (keyof SdkParams)[]).flatMap((vendor) =>
  Object.entries(oracles[vendor].models).map(([how, connect]) => ({ vendor, how, connect })),
);

async function startVendor(): Promise<FakeVendor> {
  const vendor = await FakeVendor.start();
  onTestFinished(() => vendor.close());
  return vendor.respond(() => ({ answer }));
}

const conversation = ({ content = [{ type: "text", text: question }] }: OracleRow) => [
  { role: "user" as const, content: content.length === 1 && content[0]?.type === "text" ? content[0].text : content },
];

describe.each(cases)("$vendor through $how", ({ vendor: name, connect }) => {
  const isTaken = ([, { sdk }]: (typeof rows)[number]) => sdk[name] !== null;
  const refused = rows.filter((row) => !isTaken(row));

  it.each(rows.filter(isTaken))("sends the body and reads the answer of the vendor's library: %s", async (_, row) => {
    const vendor = await startVendor();
    const model = connect(vendor.url);

    for (const stream of [false, true]) {
      const text = await oracles[name].call(vendor.url, row.sdk[name] ?? {}, stream);
      const body = lastBody(vendor);
      const ours = stream
        ? await collectResponse(model.stream(conversation(row), row.options))
        : await model.generate(conversation(row), row.options);

      expect(lastBody(vendor)).toEqual(body);
      expect([ours.text, text]).toEqual([answer, answer]);
    }
  });

  it("refuses what the vendor takes in no form", async () => {
    const vendor = await startVendor();
    const model = connect(vendor.url);

    for (const [, row] of refused) {
      const asking = model.generate(conversation(row));
      await expect(asking).rejects.toMatchObject({ code: "unsupported_media_type" });
    }
    expect(vendor.exchanges).toEqual([]);
  });
});

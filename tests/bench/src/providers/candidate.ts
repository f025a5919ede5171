import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { pooledFetch } from "@troupe-internal/vendor-fakes";
import { Agent } from "@troupe/core";
import { sharedHttpPool } from "@troupe/core/provider";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { openai } from "@troupe/providers-openai";
import OpenAI from "openai";
import type { ModelProvider } from "@troupe/core";
import { answerRounds } from "../answer-rounds.ts";

/** A provider over our own HTTP and over a client, a reader written by hand, and a raw reply, as candidates. */
const url = process.env["BENCH_VENDOR_URL"] ?? "";
const question = [{ role: "user" as const, content: "Tell me something." }];
const fetch = pooledFetch(sharedHttpPool());
const settings = { apiKey: "key", maxRetries: 0, logLevel: "off", fetch } as const;

type Vendor = {
  model: () => ModelProvider;
  /** The model over a client of the library, which sends by its own network. */
  overClient: () => ModelProvider;
  path: string;
  /** The path of a stream, where it is another one. */
  streamPath?: string;
  body: Record<string, unknown>;
  wordsOf: (event: never) => string | undefined;
  /** The library's raw reply. */
  post: (path: string, body: object) => Promise<Response>;
};

const openaiClient = new OpenAI({ ...settings, baseURL: url });
const anthropicClient = new Anthropic({ ...settings, baseURL: url });
const plain = { apiKey: "key", logLevel: "off" } as const;
const openaiPost = (path: string, body: object) => openaiClient.post(path, { body }).asResponse();

const vendors: Record<string, Vendor> = {
  responses: {
    model: () => openai("gpt-5.1", { apiKey: "key", baseURL: `${url}/v1`, api: "responses" }),
    overClient: () => openai("gpt-5.1", { client: new OpenAI({ ...plain, baseURL: `${url}/v1` }), api: "responses" }),
    path: "/v1/responses",
    body: { model: "gpt-5.1", input: question },
    wordsOf: ({ type, delta }: { type?: string; delta?: string }) =>
      type === "response.output_text.delta" ? delta : undefined,
    post: openaiPost,
  },
  chat: {
    model: () => openai("gpt-4.1", { apiKey: "key", baseURL: `${url}/v1`, api: "chat" }),
    overClient: () => openai("gpt-4.1", { client: new OpenAI({ ...plain, baseURL: `${url}/v1` }), api: "chat" }),
    path: "/v1/chat/completions",
    body: { model: "gpt-4.1", messages: question },
    wordsOf: ({ choices }: { choices?: { delta: { content?: string } }[] }) => choices?.[0]?.delta.content,
    post: openaiPost,
  },
  anthropic: {
    model: () => anthropic("claude-haiku-4-5", { apiKey: "key", baseURL: url }),
    overClient: () => anthropic("claude-haiku-4-5", { client: new Anthropic({ ...plain, baseURL: url }) }),
    path: "/v1/messages",
    body: { model: "claude-haiku-4-5", max_tokens: 16_384, messages: question },
    wordsOf: ({ delta }: { delta?: { text?: string } }) => delta?.text,
    post: (path, body) => anthropicClient.post(path, { body }).asResponse(),
  },
  gemini: {
    model: () => google("gemini-2.5-flash", { apiKey: "key", baseURL: url }),
    overClient: () =>
      google("gemini-2.5-flash", {
        client: new GoogleGenAI({ apiKey: "key", enterprise: false, httpOptions: { baseUrl: url } }),
      }),
    path: "/v1beta/models/gemini-2.5-flash:generateContent",
    streamPath: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "Tell me something." }] }] },
    wordsOf: ({ candidates }: { candidates?: { content?: { parts?: { text?: string }[] } }[] }) =>
      candidates?.[0]?.content?.parts?.[0]?.text,
    // The library gives no raw reply.
    post: async (path, body) => await fetch(url + path, postOf(body)),
  },
};

/** A reader written by hand: right for a complete answer. */
async function* handReader(of: Vendor): AsyncGenerator<{ type: string; text: string }> {
  const { path, streamPath, body, wordsOf } = of;
  const asked = streamPath === undefined ? { ...body, stream: true } : body;
  const reply = await fetch(url + (streamPath ?? path), postOf(asked));
  let rest = "";
  for await (const bytes of reply.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + Buffer.from(bytes).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const text = wordsOf(JSON.parse(line.slice("data: ".length)) as never);
      if (text !== undefined && text !== "") yield { type: "text", text };
    }
  }
}

function postOf(body: object): RequestInit {
  const headers = { authorization: "Bearer key", "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

const vendor = vendors[process.env["BENCH_PROVIDER"] ?? ""];
if (vendor === undefined) throw new Error("BENCH_PROVIDER names no provider of this file.");
const { path, body, post } = vendor;
const model = vendor.model();
const overClient = vendor.overClient();
const agents = [model, overClient].map((each) => new Agent({ name: "helper", model: each }));

async function countTexts(chunks: AsyncIterable<{ type: string }>): Promise<number> {
  let count = 0;
  for await (const { type } of chunks) if (type === "text") count += 1;
  return count;
}

const units: Record<string, () => Promise<unknown>> = {
  "hand reader": async () => await countTexts(handReader(vendor)),
  "provider, stream": async () => await countTexts(model.stream(question)),
  "client, stream": async () => await countTexts(overClient.stream(question)),
  "raw reply": async () => JSON.parse(await (await post(path, body)).text()) as unknown,
  "provider, generate": async () => await model.generate(question),
  "client, generate": async () => await overClient.generate(question),
  run: async () => await agents[0]?.run("Tell me something."),
  "run, client": async () => await agents[1]?.run("Tell me something."),
};

const unit = units[process.env["BENCH_CANDIDATE"] ?? ""];
if (unit === undefined) throw new Error("BENCH_CANDIDATE names no unit of this file.");
answerRounds(async (count) => {
  for (let at = 0; at < count; at++) await unit();
});

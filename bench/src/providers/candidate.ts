import Anthropic from "@anthropic-ai/sdk";
import { pooledFetch } from "@troupe-internal/vendor-fakes";
import { sharedHttpPool } from "@troupe/core/adapter";
import { anthropic } from "@troupe/providers-anthropic";
import { openai } from "@troupe/providers-openai";
import OpenAI from "openai";
import type { ModelProvider } from "@troupe/core";
import { answerRounds } from "../answer-rounds.ts";

/** A provider, a reader written by hand, and the library's raw reply, as candidates. */
const url = process.env["BENCH_VENDOR_URL"] ?? "";
const question = [{ role: "user" as const, content: "Tell me something." }];
const fetch = pooledFetch(sharedHttpPool());
const settings = { apiKey: "key", maxRetries: 0, logLevel: "off", fetch } as const;

type Vendor = {
  model: () => ModelProvider;
  path: string;
  body: Record<string, unknown>;
  wordsOf: (event: never) => string | undefined;
  /** The library's raw reply. */
  post: (path: string, body: object) => Promise<Response>;
};

const openaiClient = new OpenAI({ ...settings, baseURL: url });
const anthropicClient = new Anthropic({ ...settings, baseURL: url });
const openaiPost = (path: string, body: object) => openaiClient.post(path, { body }).asResponse();

const vendors: Record<string, Vendor> = {
  responses: {
    model: () => openai("gpt-5.1", { apiKey: "key", baseURL: `${url}/v1`, api: "responses" }),
    path: "/v1/responses",
    body: { model: "gpt-5.1", input: question },
    wordsOf: ({ type, delta }: { type?: string; delta?: string }) =>
      type === "response.output_text.delta" ? delta : undefined,
    post: openaiPost,
  },
  chat: {
    model: () => openai("gpt-4.1", { apiKey: "key", baseURL: `${url}/v1`, api: "chat" }),
    path: "/v1/chat/completions",
    body: { model: "gpt-4.1", messages: question },
    wordsOf: ({ choices }: { choices?: { delta: { content?: string } }[] }) => choices?.[0]?.delta.content,
    post: openaiPost,
  },
  anthropic: {
    model: () => anthropic("claude-sonnet-4-5", { apiKey: "key", baseURL: url }),
    path: "/v1/messages",
    body: { model: "claude-sonnet-4-5", max_tokens: 16_384, messages: question },
    wordsOf: ({ delta }: { delta?: { text?: string } }) => delta?.text,
    post: (path, body) => anthropicClient.post(path, { body }).asResponse(),
  },
};

/** A reader written by hand: right for a complete answer. */
async function* handReader({ path, body, wordsOf }: Vendor): AsyncGenerator<{ type: string; text: string }> {
  const reply = await fetch(url + path, {
    method: "POST",
    headers: { authorization: "Bearer key", "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true }),
  });
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

const vendor = vendors[process.env["BENCH_PROVIDER"] ?? ""];
if (vendor === undefined) throw new Error("BENCH_PROVIDER names no provider of this file.");
const { path, body, post } = vendor;
const model = vendor.model();

async function countTexts(chunks: AsyncIterable<{ type: string }>): Promise<number> {
  let count = 0;
  for await (const { type } of chunks) if (type === "text") count += 1;
  return count;
}

const units: Record<string, () => Promise<unknown>> = {
  "hand reader": async () => await countTexts(handReader(vendor)),
  "provider, stream": async () => await countTexts(model.stream(question)),
  "raw reply": async () => JSON.parse(await (await post(path, body)).text()) as unknown,
  "provider, generate": async () => await model.generate(question),
};

const unit = units[process.env["BENCH_CANDIDATE"] ?? ""];
if (unit === undefined) throw new Error("BENCH_CANDIDATE names no unit of this file.");
answerRounds(async (count) => {
  for (let at = 0; at < count; at++) await unit();
});

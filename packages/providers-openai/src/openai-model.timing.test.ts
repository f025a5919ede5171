import { timingSuite } from "@troupe-internal/vendor-fakes";
import OpenAI from "openai";
import { describe, it } from "vitest";
import { openai } from "./index.ts";

const question = [{ role: "user" as const, content: "Umbrella?" }];
const text = "some words ".repeat(100);

const words = { type: "message", id: "msg_1", role: "assistant", phase: "final_answer" };
const item = { ...words, content: [{ type: "output_text", annotations: [], logprobs: [], text }] };
const usage = { input_tokens: 10, output_tokens: 300, total_tokens: 310 };
const response = { id: "resp_1", object: "response", status: "completed", model: "gpt-6.1-sol", output: [item], usage };

const completion = { id: "chatcmpl-1", object: "chat.completion", created: 1_795_000_000, model: "gpt-4.1" };
const chatUsage = { prompt_tokens: 10, completion_tokens: 300, total_tokens: 310 };

const frames = (...events: { type: string; [field: string]: unknown }[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const chunk = (more: object) =>
  `data: ${JSON.stringify({ ...completion, object: "chat.completion.chunk", service_tier: "default", ...more })}\n\n`;
const choice = (delta: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  usage: null,
});

/** The library's raw reply, parsed. */
function askLibrary(path: string, body: object) {
  return async (url: string, fetch: typeof globalThis.fetch) => {
    const baseURL = `${url}/v1`;
    const client = new OpenAI({ apiKey: "sk-test", baseURL, maxRetries: 0, logLevel: "off", fetch });
    return async () => JSON.parse(await (await client.post(path, { body }).asResponse()).text()) as unknown;
  };
}

describe("openai over Responses", () => {
  const body = { model: "gpt-6.1-sol", store: false, input: question };

  timingSuite(it, {
    connect: (url) => openai(body.model, { apiKey: "sk-test", baseURL: `${url}/v1`, api: "responses" }),
    answers: {
      start: frames(
        { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item: { ...words, content: [] } },
      ),
      piece: frames({
        type: "response.output_text.delta",
        sequence_number: 7,
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        delta: "some words ",
        logprobs: [],
        obfuscation: "a1b2c3",
      }),
      end: frames(
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response },
      ),
      whole: JSON.stringify(response),
    },
    request: { path: "/v1/responses", headers: { authorization: "Bearer sk-test" }, body: { ...body, stream: true } },
    textOf: ({ type, delta }: { type: string; delta?: string }) =>
      type === "response.output_text.delta" ? delta : undefined,
    askLibrary: askLibrary("/responses", body),
  });
});

describe("openai over Chat Completions", () => {
  const body = { model: "gpt-4.1", messages: question };
  const message = { role: "assistant", content: text };

  timingSuite(it, {
    connect: (url) => openai(body.model, { apiKey: "sk-test", baseURL: `${url}/v1`, api: "chat" }),
    answers: {
      start: chunk(choice({ role: "assistant", content: "" })),
      piece: chunk(choice({ content: "some words " })),
      end: [chunk(choice({}, "stop")), chunk({ choices: [], usage: chatUsage }), "data: [DONE]\n\n"].join(""),
      whole: JSON.stringify({
        ...completion,
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: chatUsage,
      }),
    },
    request: {
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer sk-test" },
      body: { ...body, stream: true },
    },
    textOf: ({ choices }: { choices: { delta: { content?: string } }[] }) => choices[0]?.delta.content,
    askLibrary: askLibrary("/chat/completions", body),
  });
});

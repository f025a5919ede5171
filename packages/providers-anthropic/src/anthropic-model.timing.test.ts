import Anthropic from "@anthropic-ai/sdk";
import { timingSuite } from "@troupe-internal/vendor-fakes";
import { describe, it } from "vitest";
import { anthropic } from "./index.ts";

const body = {
  model: "claude-opus-5-5",
  max_tokens: 1000,
  messages: [{ role: "user" as const, content: "Umbrella?" }],
};
const usage = { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 300 };
const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-5-5", usage };
const text = "some words ".repeat(100);

const frames = (...events: { type: string; [field: string]: unknown }[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

describe("anthropic", () => {
  timingSuite(it, {
    connect: (baseURL) => anthropic("claude-opus-5-5", { apiKey: "key-1", baseURL }),
    answers: {
      start: frames(
        { type: "message_start", message: { ...message, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      ),
      piece: frames({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "some words " } }),
      end: frames(
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: 300 },
        },
        { type: "message_stop" },
      ),
      whole: JSON.stringify({ ...message, content: [{ type: "text", text }], stop_reason: "end_turn" }),
    },
    request: { path: "/v1/messages", headers: { authorization: "Bearer key-1" }, body: { ...body, stream: true } },
    textOf: (event: { delta?: { text?: string } }) => event.delta?.text,
    askLibrary: async (baseURL, fetch) => {
      const client = new Anthropic({ apiKey: "key-1", baseURL, maxRetries: 0, logLevel: "off", fetch });
      return async () => JSON.parse(await (await client.messages.create(body).asResponse()).text()) as unknown;
    },
  });
});

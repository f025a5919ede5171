import Anthropic, { APIError } from "@anthropic-ai/sdk";
import type { Message } from "@anthropic-ai/sdk/resources/messages";
import { readRetryAfter } from "./sdk-client.ts";
import type { SdkAnswer, SdkClient, SdkSetup } from "./sdk-client.ts";

const asked = {
  model: "claude-opus-5-5",
  max_tokens: 1000,
  thinking: { type: "adaptive" as const, display: "summarized" as const },
  messages: [{ role: "user" as const, content: "hello?" }],
};

/** Anthropic's library. */
export function createAnthropicClient({ url, key }: SdkSetup): SdkClient {
  const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
  return {
    name: "anthropic",
    whole: async () => fromMessage(await client.messages.create(asked)),
    streamed: async () => fromMessage(await client.messages.stream(asked).finalMessage()),
    open: (signal) => client.messages.create({ ...asked, stream: true }, { signal }),
    readError: (error) => {
      if (!(error instanceof APIError)) throw error;
      return { status: error.status as number | undefined, retryAfter: readRetryAfter(error as { headers?: Headers }) };
    },
  };
}

function fromMessage({ content, usage }: Message): SdkAnswer {
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ name: block.name, arguments: block.input }] : [],
    ),
    usage: {
      promptTokens: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
      completionTokens: usage.output_tokens,
    },
  };
}

import OpenAI, { APIError } from "openai";
import type { ChatCompletion, ChatCompletionMessageFunctionToolCall } from "openai/resources/chat/completions";
import type { Response } from "openai/resources/responses/responses";
import { readRetryAfter } from "./sdk-client.ts";
import type { SdkAnswer, SdkClient, SdkSetup } from "./sdk-client.ts";

const chat = { model: "gpt-4.1", messages: [{ role: "user" as const, content: "hello?" }] };
const counted = { ...chat, stream: true as const, stream_options: { include_usage: true } };
const response = {
  model: "gpt-6.1-sol",
  input: [{ role: "user" as const, content: "hello?" }],
  store: false,
  reasoning: { summary: "auto" as const },
};

/** OpenAI's library with Chat Completions. */
export function createChatClient(setup: SdkSetup): SdkClient {
  const client = connect(setup);
  return {
    name: "openai, chat",
    whole: async () => fromCompletion(await client.chat.completions.create(chat)),
    streamed: async () => {
      const stream = client.chat.completions.stream(counted);
      let thinking = "";
      for await (const chunk of stream) {
        thinking += thinkingOf(chunk.choices[0]?.delta);
      }
      return { ...fromCompletion(await stream.finalChatCompletion()), thinking };
    },
    open: (signal) => client.chat.completions.create(counted, { signal }),
    embed: async (input) => {
      const { data } = await client.embeddings.create({ model: "text-embedding-3-small", input });
      return data.toSorted((one, other) => one.index - other.index).map(({ embedding }) => embedding);
    },
    readError,
  };
}

/** OpenAI's library with Responses. */
export function createResponsesClient(setup: SdkSetup): SdkClient {
  const client = connect(setup);
  return {
    name: "openai, responses",
    whole: async () => fromResponse(await client.responses.create(response)),
    streamed: async () => {
      let [text, last] = ["", undefined as Response | undefined];
      for await (const event of await client.responses.create({ ...response, stream: true })) {
        if (event.type === "response.output_text.delta") text += event.delta;
        if (event.type === "response.completed") last = event.response;
      }
      if (last === undefined) throw new Error("The stream did not end.");
      return { ...fromResponse(last), text };
    },
    open: (signal) => client.responses.create({ ...response, stream: true }, { signal }),
    readError,
  };
}

function connect({ url, key }: SdkSetup): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0, organization: null, project: null });
}

function fromCompletion({ choices, usage }: ChatCompletion): SdkAnswer {
  const message = choices[0]?.message;
  const calls = (message?.tool_calls ?? []) as ChatCompletionMessageFunctionToolCall[];
  return {
    text: message?.content ?? "",
    thinking: thinkingOf(message),
    calls: calls.map((call) => ({
      name: call.function.name,
      arguments: JSON.parse(call.function.arguments) as unknown,
    })),
    usage: countedIn(usage),
  };
}

/** A field that compatible servers have added. */
function thinkingOf(message: object | undefined): string {
  return message !== undefined && "reasoning_content" in message ? String(message.reasoning_content) : "";
}

function countedIn(usage: ChatCompletion["usage"]): SdkAnswer["usage"] {
  return { promptTokens: usage?.prompt_tokens ?? 0, completionTokens: usage?.completion_tokens ?? 0 };
}

function fromResponse({ output, usage }: Response): SdkAnswer {
  const texts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const summaries = output.flatMap((item) => (item.type === "reasoning" ? item.summary : []));
  return {
    text: texts.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
    thinking: summaries.map(({ text }) => text).join(""),
    calls: output.flatMap((item) =>
      item.type === "function_call" ? [{ name: item.name, arguments: JSON.parse(item.arguments) as unknown }] : [],
    ),
    usage: { promptTokens: usage?.input_tokens ?? 0, completionTokens: usage?.output_tokens ?? 0 },
  };
}

function readError(error: unknown): { status: number | undefined; retryAfter: string | undefined } {
  if (!(error instanceof APIError)) throw error;
  return { status: error.status as number | undefined, retryAfter: readRetryAfter(error as { headers?: Headers }) };
}

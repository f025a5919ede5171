import Anthropic from "@anthropic-ai/sdk";
import type { Message } from "@anthropic-ai/sdk/resources/messages";
import { GoogleGenAI } from "@google/genai";
import type { GenerateContentResponse } from "@google/genai";
import type { ModelProvider } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { Ollama } from "ollama";
import type { ChatResponse } from "ollama";
import OpenAI from "openai";
import type { ChatCompletion, ChatCompletionMessageFunctionToolCall } from "openai/resources/chat/completions";
import type { Response } from "openai/resources/responses/responses";
import type { SdkParams } from "./oracle-row.ts";

export const question = "Umbrella?";
const asked = [{ role: "user" as const, content: question }];

/** An answer as a vendor's library reads it, in our words. */
export type Reading = {
  text: string;
  thinking: string;
  calls: { name: string; arguments: unknown }[];
  promptTokens: number | undefined;
  completionTokens: number | undefined;
  finishReason: string;
};

/** A vendor's library, called by the params of one row, and the models of ours that must send and read the same. */
export type Oracle = {
  models: Readonly<Record<string, (url: string) => ModelProvider>>;
  /** Calls the library and reads its answer. */
  call(url: string, params: object, stream: boolean): Promise<Reading>;
};

const keyed = { apiKey: "key-1", maxRetries: 0 };

/** Our words for those of the vendors. An answer with calls ends because of them, whatever its vendor says. */
const finishReasons: Readonly<Record<string, string>> = {
  completed: "stop",
  end_turn: "stop",
  tool_use: "tool_calls",
  STOP: "stop",
};

function finishOf(word: string | null | undefined, calls: readonly unknown[]): string {
  return calls.length > 0 ? "tool_calls" : (finishReasons[word ?? ""] ?? word ?? "");
}

/** The libraries with their models, by the names of their parameters. */
export const oracles: { readonly [Vendor in keyof SdkParams]: Oracle } = {
  responses: {
    models: {
      "our HTTP": (url) => openai("gpt-6.1-sol", { apiKey: "key-1", baseURL: `${url}/v1`, api: "responses" }),
      "the caller's client": (url) =>
        openai("gpt-6.1-sol", { client: new OpenAI({ ...keyed, baseURL: `${url}/v1` }), api: "responses" }),
    },
    async call(url, params, stream) {
      const { responses } = new OpenAI({ ...keyed, baseURL: `${url}/v1` });
      const include = ["reasoning.encrypted_content" as const];
      const base = { model: "gpt-6.1-sol", store: false, input: asked, include };
      if (!stream) return fromResponse(await responses.create({ ...base, ...params }));
      let last: Response | undefined;
      for await (const event of await responses.create({ ...base, ...params, stream }))
        if (event.type === "response.completed") last = event.response;
      return fromResponse(last);
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
      if (!stream) return fromCompletion(await completions.create({ ...base, ...params }));
      const chunks = completions.stream({ ...base, ...params, stream_options: { include_usage: true } });
      let thinking = "";
      for await (const { choices } of chunks) thinking += thinkingIn(choices[0]?.delta);
      return { ...fromCompletion(await chunks.finalChatCompletion()), thinking };
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
      if (!stream) return fromMessage(await messages.create({ ...base, ...params }, options));
      return fromMessage(await messages.stream({ ...base, ...params }, options).finalMessage());
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
      if (!stream) return fromGemini([await models.generateContent({ ...base, ...params })]);
      const answers: GenerateContentResponse[] = [];
      for await (const one of await models.generateContentStream({ ...base, ...params })) answers.push(one);
      return fromGemini(answers);
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
      if (!stream) return fromLines([await client.chat({ ...base, ...params, stream })]);
      const lines: ChatResponse[] = [];
      for await (const line of await client.chat({ ...base, ...params, stream })) lines.push(line);
      return fromLines(lines);
    },
  },
};

function geminiClient(baseUrl: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: "key-1", enterprise: false, apiVersion: "v1beta", httpOptions: { baseUrl } });
}

function fromResponse(response: Response | undefined): Reading {
  const { output = [], usage, status } = response ?? {};
  const calls = output.flatMap((item) =>
    item.type === "function_call" ? [{ name: item.name, arguments: JSON.parse(item.arguments) as unknown }] : [],
  );
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return {
    text: parts.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
    thinking: output
      .flatMap((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text) : []))
      .join(""),
    calls,
    promptTokens: usage?.input_tokens,
    completionTokens: usage?.output_tokens,
    finishReason: finishOf(status, calls),
  };
}

function fromCompletion({ choices: [choice], usage }: ChatCompletion): Reading {
  const wanted = (choice?.message.tool_calls ?? []) as ChatCompletionMessageFunctionToolCall[];
  const calls = wanted.map(({ function: { name, arguments: args } }) => ({
    name,
    arguments: JSON.parse(args) as unknown,
  }));
  return {
    text: choice?.message.content ?? "",
    thinking: thinkingIn(choice?.message),
    calls,
    promptTokens: usage?.prompt_tokens,
    completionTokens: usage?.completion_tokens,
    finishReason: finishOf(choice?.finish_reason, calls),
  };
}

/** A field that servers with the same API have added. */
function thinkingIn(message: object | undefined): string {
  return message !== undefined && "reasoning_content" in message ? String(message.reasoning_content) : "";
}

function fromMessage({ content, usage, stop_reason: word }: Message): Reading {
  const calls = content.flatMap((block) =>
    block.type === "tool_use" ? [{ name: block.name, arguments: block.input }] : [],
  );
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    calls,
    promptTokens: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    completionTokens: usage.output_tokens,
    finishReason: finishOf(word, calls),
  };
}

function fromGemini(answers: readonly GenerateContentResponse[]): Reading {
  const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const usage = answers.at(-1)?.usageMetadata;
  const calls = parts.flatMap(({ functionCall: call }) =>
    call === undefined ? [] : [{ name: call.name ?? "", arguments: call.args }],
  );
  return {
    text: parts.map(({ text = "", thought }) => (thought === true ? "" : text)).join(""),
    thinking: parts.map(({ text = "", thought }) => (thought === true ? text : "")).join(""),
    calls,
    promptTokens: usage?.promptTokenCount,
    completionTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    finishReason: finishOf(answers.at(-1)?.candidates?.[0]?.finishReason, calls),
  };
}

function fromLines(lines: readonly ChatResponse[]): Reading {
  const last = lines.at(-1);
  const calls = lines.flatMap(({ message }) =>
    (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({ name, arguments: args as unknown })),
  );
  return {
    text: lines.map(({ message }) => message.content).join(""),
    thinking: lines.map(({ message }) => message.thinking ?? "").join(""),
    calls,
    promptTokens: last?.prompt_eval_count,
    completionTokens: last?.eval_count,
    finishReason: finishOf(last?.done_reason, calls),
  };
}

import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { ModelProvider, ToolCall } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { onTestFinished } from "vitest";
import { connect } from "./vendors.ts";

/** Answer of a vendor: the events of a stream, or one object. */
export type Answer = object[] | { whole: object };

const chatModel = (url: string): ModelProvider =>
  openai("or-model", { baseURL: `${url}/v1`, api: "chat", apiKey: "sk-1" });
const connectWithKey = (name: keyof typeof connect) => (url: string) => connect[name](url, { apiKey: "sk-1" });
/** Makes the model of each dialect, whose requests go to `url`. */
export const models = {
  Chat: chatModel,
  Responses: connectWithKey("openai"),
  Anthropic: connectWithKey("anthropic"),
  Gemini: connectWithKey("google"),
  Ollama: connectWithKey("ollama"),
};
/** A dialect of a vendor that has its own reader. */
export type Dialect = keyof typeof models;

/** Returns a model whose vendor sends these answers. */
export async function modelThat(dialect: Dialect, ...answers: Answer[]): Promise<ModelProvider> {
  const vendor = await FakeVendor.start({ strict: false });
  onTestFinished(() => vendor.close());
  for (const answer of answers) {
    const isStream = Array.isArray(answer);
    const type = isStream && dialect !== "Ollama" ? "text/event-stream" : "application/json";
    const frames = isStream ? answer.map((event) => toFrame(dialect, event)) : [JSON.stringify(answer.whole)];
    vendor.plan({ raw: { status: 200, headers: { "content-type": type }, frames } });
  }
  return models[dialect](vendor.url);
}

/** Reads an answer that a vendor sends. */
export async function read(dialect: Dialect, answer: Answer): Promise<ModelResponse> {
  const model = await modelThat(dialect, answer);
  const messages = [{ role: "user" as const, content: "Hello?" }];
  return Array.isArray(answer) ? await collectResponse(model.stream(messages)) : await model.generate(messages);
}

/** Writes an event of a stream as its vendor sends it. */
export function toFrame(dialect: Dialect, event: object): string {
  return dialect === "Ollama" ? `${JSON.stringify(event)}\n` : `data: ${JSON.stringify(event)}\n\n`;
}

/** The names and arguments of the calls of an answer. */
export const called = ({ toolCalls }: { toolCalls: ToolCall[] }) =>
  toolCalls.map((call) => [call.name, call.arguments]);

/** A delta of Chat Completions. */
const delta = (fields: object | null, more: object = {}): object => ({
  choices: [{ index: 0, delta: fields, ...more }],
});
/** The last delta of Chat Completions. */
const chatEnd = delta({}, { finish_reason: "stop" });
/** The last event of Responses. */
const completed = (fields: object = {}): object => ({
  type: "response.completed",
  response: { id: "r", status: "completed", output: [], ...fields },
});
/** A message item of Responses. */
const words = (text: string | null): object => ({
  type: "message",
  id: "m1",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});
/** A piece of text of Responses. */
const textDelta = (text: string | null): object => ({
  type: "response.output_text.delta",
  output_index: 0,
  delta: text,
});
/** A call item of Responses. */
const callItem = (fields: object = {}): object => ({
  type: "function_call",
  id: "fc_1",
  call_id: "c1",
  name: "look",
  arguments: '{"at":1}',
  ...fields,
});
/** An item of Responses that is done. */
const itemDone = (item: unknown, index = 0): object => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
/** An item of Responses that begins. */
const itemAdded = (item: unknown, index = 0): object => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});
/** The first event of Anthropic. */
const started = { type: "message_start", message: { id: "m", model: "claude", usage: { input_tokens: 3 } } };
/** The last events of Anthropic. */
const ended = (usage: unknown = { output_tokens: 5 }): object[] => [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
  { type: "message_stop" },
];
/** The events of a content block of Anthropic. */
const block = (start: unknown, ...deltas: unknown[]): object[] => [
  { type: "content_block_start", index: 0, content_block: start },
  ...deltas.map((each) => ({ type: "content_block_delta", index: 0, delta: each })),
  { type: "content_block_stop", index: 0 },
];
/** An event of Gemini with these parts. */
const parts = (...given: unknown[]): object => ({
  candidates: [{ index: 0, content: { role: "model", parts: given } }],
});
/** The last event of Gemini. */
const geminiEnd = { candidates: [{ index: 0, finishReason: "STOP" }] };
/** A line of Ollama with this message. */
const line = (message: unknown): object => ({ message });
/** The last line of Ollama. */
const ollamaEnd = { done: true, done_reason: "stop" };

/** Events of Chat Completions. */
export const chat = { delta, end: chatEnd };
/** Events and items of Responses. */
export const responses = { completed, words, textDelta, callItem, itemDone, itemAdded };
/** Events of Anthropic. */
export const anthropic = { started, ended, block };
/** Events of Gemini. */
export const gemini = { parts, end: geminiEnd };
/** Lines of Ollama. */
export const ollama = { line, end: ollamaEnd };

import { getTextContent } from "@troupe/core";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import type { ToolSpec } from "@troupe/core";
import { composeText } from "./compose-text.ts";
import { readConversation } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import type { Source } from "./find-value.ts";
import { planCalls } from "./plan-calls.ts";
import type { CallAttempt, PlannedCall } from "./plan-calls.ts";
import { valueFromSchema } from "./value-from-schema.ts";

/** A reply of the offline model: tool calls, or else a text. */
export type Reply = { readonly text: string; readonly calls: readonly PlannedCall[] };

/**
 * Replies to a conversation with calls of matching tools, or with a text. A request that ends with an example of JSON
 * is answered with the example.
 */
export function composeReply(messages: readonly ChatMessage[], options: ModelOptions): Reply {
  const { tools = [] } = options;
  const conversation = readConversation(messages);
  const example = exampleOfJson(messages);
  if (example !== undefined) return { text: example, calls: [] };
  const attempts = planCalls(conversation, tools);
  const calls = callsToMake(conversation, attempts, options);
  if (calls.length > 0) return { text: "", calls };
  return { text: toFormat(composeText(conversation, attempts, tools), conversation, options), calls: [] };
}

/**
 * Returns the example of JSON at the end of a request. A request for a vote has one: "Answer with JSON and nothing
 * else: {"agree": true}, or …".
 */
function exampleOfJson(messages: readonly ChatMessage[]): string | undefined {
  const last = messages.findLast(({ role }) => role === "user");
  const text = getTextContent(last?.content ?? null).slice(-2000);
  return /Answer with JSON and nothing else: (\{[^{}]*\})[^\n]*$/.exec(text)?.[1];
}

/**
 * Returns the tool calls of the first round trip. In later round trips, the results of tools are the answer, without
 * further calls.
 */
function callsToMake(
  conversation: Conversation,
  attempts: readonly CallAttempt[],
  { toolChoice, tools = [] }: ModelOptions,
): PlannedCall[] {
  if (toolChoice === "none" || conversation.findings.length > 0) return [];
  const calls = attempts
    .filter(({ missing }) => missing.length === 0)
    .map(({ name, arguments: args }) => ({ name, arguments: args }));
  if (typeof toolChoice === "object") {
    const fitting = calls.filter(({ name }) => name === toolChoice.tool);
    const named = tools.filter(({ name }) => name === toolChoice.tool);
    return fitting.length > 0 ? fitting : named.map((tool) => madeUpCall(tool, conversation));
  }
  if (calls.length > 0 || toolChoice !== "required") return calls;
  // A tool must be called but none matches, so the first tool is called with invented arguments.
  return tools.slice(0, 1).map((tool) => madeUpCall(tool, conversation));
}

function madeUpCall({ name, parameters }: ToolSpec, conversation: Conversation): PlannedCall {
  return { name, arguments: valueFromSchema(parameters, toSource(conversation, "")) as Record<string, unknown> };
}

function toFormat(text: string, conversation: Conversation, { responseFormat = "text" }: ModelOptions): string {
  if (responseFormat === "text") return text;
  if (responseFormat === "json") return JSON.stringify({ answer: text });
  return JSON.stringify(valueFromSchema(responseFormat.schema, toSource(conversation, text)));
}

function toSource({ request, instructions }: Conversation, answer: string): Source {
  return { clause: request, request, answer, instructions };
}

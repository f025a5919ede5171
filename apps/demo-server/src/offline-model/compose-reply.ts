import type { ChatMessage, ModelOptions } from "@troupe/core";
import type { ToolSpec } from "@troupe/core/adapter";
import { composeText } from "./compose-text.ts";
import { readConversation } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { planCalls } from "./plan-calls.ts";
import type { CallAttempt } from "./plan-calls.ts";
import type { Reading } from "./reading.ts";
import type { PlannedCall, Reply } from "./reply.ts";
import { valueFromSchema } from "./value-from-schema.ts";

/** Makes of a conversation what is said next: calls of tools when some fit and have not been made, else the answer. */
export function composeReply(messages: readonly ChatMessage[], options: ModelOptions): Reply {
  const { tools = [] } = options;
  const conversation = readConversation(messages);
  const attempts = planCalls(conversation, tools);
  const calls = callsToMake(conversation, attempts, options);
  if (calls.length > 0) return { text: "", calls };
  return { text: inForm(composeText(conversation, attempts, tools), conversation, options), calls: [] };
}

/** Once is enough: what the tools found is the answer. */
function callsToMake(
  conversation: Conversation,
  attempts: readonly CallAttempt[],
  { toolChoice, tools = [] }: ModelOptions,
): PlannedCall[] {
  if (toolChoice === "none" || conversation.findings.length > 0) return [];
  const calls = attempts
    .filter(({ missing }) => missing.length === 0)
    .map(({ name, arguments: args }) => ({ name, arguments: args }));
  // Whoever must call a tool, and finds none that fits, takes the first one.
  const isStuck = calls.length === 0 && toolChoice === "required";
  return isStuck ? tools.slice(0, 1).map((tool) => madeUpCall(tool, conversation)) : calls;
}

function madeUpCall({ name, parameters }: ToolSpec, conversation: Conversation): PlannedCall {
  return { name, arguments: valueFromSchema(parameters, toReading(conversation, "")) as Record<string, unknown> };
}

function inForm(text: string, conversation: Conversation, { responseFormat = "text" }: ModelOptions): string {
  if (responseFormat === "text") return text;
  if (responseFormat === "json") return JSON.stringify({ answer: text });
  return JSON.stringify(valueFromSchema(responseFormat.schema, toReading(conversation, text)));
}

function toReading({ request, instructions }: Conversation, known: string): Reading {
  return { clause: request, request, known, instructions };
}

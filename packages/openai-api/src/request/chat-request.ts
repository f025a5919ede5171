import type { ChatMessage, ToolCall } from "@troupe/core";
import { wrongField } from "../wire/api-error.ts";
import { readFormat, readTools } from "./additions.ts";
import type { ReadFormat, ReadTools } from "./additions.ts";
import { checkFiles } from "./check-files.ts";
import type { FileBounds } from "./check-files.ts";
import { readContent, readText } from "./content.ts";
import { toConversation } from "./conversation.ts";
import type { Conversation, SentItem } from "./conversation.ts";
import { arrayAt, booleanAt, countAt, objectAt, optionalStringAt, refuseField, stringAt } from "./fields.ts";
import type { Fields } from "./fields.ts";

/** A checked request of Chat Completions. */
export type ChatRequest = {
  readonly model: unknown;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly conversation: Conversation;
  readonly tools: ReadTools;
  readonly format: ReadFormat;
  readonly maxTokens: number | undefined;
  readonly user: string | undefined;
};

/**
 * Reads the body of a Chat Completions request. Sampling settings and unknown fields are ignored. Throws
 * `invalid_request`, naming the field, for features that this service does not have.
 */
export function readChatRequest(body: Fields, files?: FileBounds): ChatRequest {
  refuseUnsupported(body);
  const stream = booleanAt(body["stream"], "stream");
  const options = body["stream_options"] ?? undefined;
  const includeUsage = options !== undefined && objectAt(options, "stream_options")["include_usage"] === true;
  const messages = arrayAt(body["messages"], "messages");
  if (messages.length === 0) throw wrongField("messages", "must have a message.");
  const items = messages.map(readMessage);
  checkFiles(items, "messages", files);
  return {
    model: body["model"],
    stream,
    includeUsage,
    conversation: toConversation(items, "messages"),
    tools: readTools(body),
    format: readFormat(body["response_format"], "response_format"),
    maxTokens:
      countAt(body["max_completion_tokens"], "max_completion_tokens") ?? countAt(body["max_tokens"], "max_tokens"),
    user: optionalStringAt(body["user"], "user"),
  };
}

function refuseUnsupported({
  n,
  logprobs,
  top_logprobs: top,
  audio,
  modalities,
  functions,
  web_search_options: web,
}: Fields): void {
  refuseField(n !== undefined && n !== null && n !== 1, "n", "must be 1: a run has one answer.");
  refuseField(logprobs === true, "logprobs", "is not supported.");
  refuseField(typeof top === "number" && top > 0, "top_logprobs", "is not supported.");
  refuseField(audio !== undefined && audio !== null, "audio", "is not supported: an answer is text.");
  const isSpoken = Array.isArray(modalities) && modalities.includes("audio");
  refuseField(isSpoken, "modalities", "must be text alone.");
  refuseField(functions !== undefined && functions !== null, "functions", "is not supported. Send tools.");
  refuseField(web !== undefined && web !== null, "web_search_options", "is not supported: the tools are the agent's.");
}

function readMessage(value: unknown, index: number): SentItem {
  const param = `messages[${index}]`;
  const message = objectAt(value, param);
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      return { type: "instructions", text: readText(content, `${param}.content`) };
    case "user":
      return { type: "message", message: { role, content: readContent(content, `${param}.content`) } };
    case "assistant":
      return { type: "message", message: readAnswer(message, param) };
    case "tool": {
      const callId = stringAt(message["tool_call_id"], `${param}.tool_call_id`);
      return { type: "output", output: { callId, output: readContent(content, `${param}.content`), param } };
    }
    default:
      throw wrongField(`${param}.role`, "must be system, developer, user, assistant or tool.");
  }
}

function readAnswer({ content, refusal, tool_calls: calls }: Fields, param: string): ChatMessage {
  const said = readContent(content ?? refusal ?? "", `${param}.content`);
  const toolCalls =
    calls === undefined || calls === null
      ? []
      : arrayAt(calls, `${param}.tool_calls`).map((call, index) => readCall(call, `${param}.tool_calls[${index}]`));
  return { role: "assistant", content: said === "" ? null : said, ...(toolCalls.length > 0 && { toolCalls }) };
}

function readCall(value: unknown, param: string): ToolCall {
  const call = objectAt(value, param);
  const named = objectAt(call["function"], `${param}.function`);
  return {
    id: stringAt(call["id"], `${param}.id`),
    name: stringAt(named["name"], `${param}.function.name`),
    arguments: readArguments(named["arguments"], `${param}.function.arguments`),
  };
}

/** Reads the arguments of a tool call: JSON in a string. */
export function readArguments(value: unknown, param: string): Record<string, unknown> {
  const text = stringAt(value ?? "{}", param);
  try {
    return { ...objectAt(JSON.parse(text === "" ? "{}" : text), param) };
  } catch {
    throw wrongField(param, "must be the JSON of an object.");
  }
}

import { TroupeError } from "@troupe/core";
import type { ChatMessage, ToolCall } from "@troupe/core";
import { PartReader } from "@troupe/core/adapter";
import { keptThinking } from "./kept-thinking.ts";
import { providerId } from "./provider-id.ts";
import type { RequestContext } from "./request-context.ts";
import { toContent } from "./to-content.ts";
import type { Reading } from "./to-content.ts";
import type { WireMessage } from "./wire-types.ts";

type Sending = RequestContext & Reading;

/**
 * Converts the messages of a conversation to Ollama's. Results of tool calls directly follow the answer with the calls.
 * Throws `invalid_request` when nothing is left.
 */
export function toMessages(messages: readonly ChatMessage[], context: RequestContext): WireMessage[] {
  const sending = { ...context, parts: new PartReader(messages, context.drop) };
  const results = new Results(messages);
  const sent = messages.flatMap((message, index) => {
    // Added with its call.
    if (message.role === "tool") return [];
    const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
    const answers = calls.map((call) => toResult(call, results.take(call.id, index), sending));
    return [...toMessage(message, calls, sending), ...answers];
  });
  if (results.left > 0) context.drop("the result of a tool", "no call right before it has its id");
  if (sent.length > 0) return sent;
  // Without a message, the server only loads the model, and succeeds.
  throw new TroupeError("invalid_request", `${providerId} needs at least one message that is not empty.`);
}

function toMessage(message: ChatMessage, calls: readonly ToolCall[], sending: Sending): WireMessage[] {
  const { role, name } = message;
  const said = toContent(message, sending);
  if (name !== undefined) sending.drop("name", "the server takes no such name on messages");
  if (said.content === "" && said.images === undefined && calls.length === 0) return [];
  return [{ role, ...said, ...keptThinking(message, sending.modelId), ...(calls.length > 0 && toCalls(calls)) }];
}

function toCalls(calls: readonly ToolCall[]): Pick<WireMessage, "tool_calls"> {
  return { tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, function: { name, arguments: args } })) };
}

function toResult({ id, name }: ToolCall, result: ChatMessage | undefined, reading: Reading): WireMessage {
  const { content } = result === undefined ? { content: "not executed" } : toContent(result, reading);
  // The id for newer servers, the name for older ones.
  return { role: "tool", content, tool_name: name, tool_call_id: id };
}

/** The tool results of a conversation, by call. */
class Results {
  readonly #messages: readonly ChatMessage[];
  readonly #open: Set<ChatMessage>;

  constructor(messages: readonly ChatMessage[]) {
    this.#messages = messages;
    this.#open = new Set(messages.filter(({ role }) => role === "tool"));
  }

  /** The number of results that were not taken. */
  get left(): number {
    return this.#open.size;
  }

  /** Takes the result of a call of the message at `index`, if it comes before the next answer. */
  take(id: string, index: number): ChatMessage | undefined {
    for (let at = index + 1; at < this.#messages.length; at += 1) {
      const message = this.#messages[at];
      if (message === undefined || message.role === "assistant") return undefined;
      if (message.toolCallId === id && this.#open.delete(message)) return message;
    }
    return undefined;
  }
}

import { TroupeError } from "@troupe/core";
import type { ChatMessage, ToolCall } from "@troupe/core";
import { PartReader } from "@troupe/core/provider";
import { replayOf } from "./replay.ts";
import { providerId } from "./options.ts";
import type { RequestContext } from "./request-context.ts";
import { toContent } from "./to-content.ts";
import type { ContentContext } from "./to-content.ts";
import type { WireMessage } from "./wire-types.ts";

type MessagesContext = RequestContext & ContentContext;

/**
 * Converts the messages of a conversation to Ollama's. Results of tool calls directly follow the answer with the calls.
 * Throws `invalid_request` if no message is left.
 */
export function toMessages(messages: readonly ChatMessage[], request: RequestContext): WireMessage[] {
  const context = { ...request, parts: new PartReader(messages, request.reportOmitted) };
  const results = new Results(messages);
  const sent = messages.flatMap((message, index) => {
    // A tool result is added together with its call.
    if (message.role === "tool") return [];
    const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
    const answers = calls.map((call) => toResult(call, results.take(call.id, index), context));
    return [...toMessage(message, calls, context), ...answers];
  });
  if (results.left > 0) context.reportOmitted("the result of a tool", "no call right before it has its id", "messages");
  if (sent.length > 0) return joinLeadingSystem(sent);
  // Without a message, the server only loads the model and reports success.
  throw new TroupeError("invalid_request", `${providerId} needs at least one message that is not empty.`);
}

/** Joins the leading system messages to one message, because many models follow only one. */
function joinLeadingSystem(sent: WireMessage[]): WireMessage[] {
  const firstOther = sent.findIndex(({ role }) => role !== "system");
  const leading = sent.slice(0, firstOther === -1 ? sent.length : firstOther);
  if (leading.length < 2) return sent;
  const content = leading.map((message) => message.content).join("\n\n");
  return [{ role: "system", content }, ...sent.slice(leading.length)];
}

function toMessage(message: ChatMessage, calls: readonly ToolCall[], context: MessagesContext): WireMessage[] {
  const { role, name } = message;
  const content = toContent(message, context);
  if (name !== undefined) context.reportOmitted("name", "the server takes no such name on messages");
  if (content.content === "" && content.images === undefined && calls.length === 0) return [];
  return [{ role, ...content, ...replayOf(message, context.model), ...(calls.length > 0 && toCalls(calls)) }];
}

function toCalls(calls: readonly ToolCall[]): Pick<WireMessage, "tool_calls"> {
  return {
    tool_calls: calls.map(({ id, name, arguments: args }) => ({
      id,
      function: { name: name || "_", arguments: args },
    })),
  };
}

function toResult({ id, name }: ToolCall, result: ChatMessage | undefined, context: ContentContext): WireMessage {
  const content = result === undefined ? { content: "not executed" } : toContent(result, context);
  // Newer Ollama servers match a result to its call by id, older servers by the tool's name.
  return { role: "tool", ...content, tool_name: name || "_", tool_call_id: id };
}

/** The tool results of a conversation, by call. */
class Results {
  readonly #messages: readonly ChatMessage[];
  readonly #open: Set<ChatMessage>;

  constructor(messages: readonly ChatMessage[]) {
    this.#messages = messages;
    this.#open = new Set(messages.filter(({ role }) => role === "tool"));
  }

  /** The number of tool results that no tool call has taken. */
  get left(): number {
    return this.#open.size;
  }

  /** Takes the result for a tool call of the message at `index`, if it precedes the next answer. */
  take(id: string, index: number): ChatMessage | undefined {
    for (let at = index + 1; at < this.#messages.length; at += 1) {
      const message = this.#messages[at];
      if (message === undefined || message.role === "assistant") return undefined;
      if (message.toolCallId === id && this.#open.delete(message)) return message;
    }
    return undefined;
  }
}

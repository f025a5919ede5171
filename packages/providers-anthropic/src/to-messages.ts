import type { ContentBlockParam, MessageParam, ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { TroupeError } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import { PartReader } from "@troupe/core/provider";
import { CallIds } from "./call-ids.ts";
import type { RequestContext } from "./request-context.ts";
import { replayOf, toLegalName } from "./replay.ts";
import { toContent, toText } from "./to-content.ts";
import type { UserContent } from "./to-content.ts";

/**
 * Converts the messages of a conversation to Anthropic's, in which user and assistant alternate. Results of tool calls
 * directly follow the answer with the calls. Throws `invalid_request` if no message is left.
 */
export function toMessages(messages: readonly ChatMessage[], context: RequestContext): MessageParam[] {
  const history = new History(messages, context);
  for (const message of messages) history.add(message);
  return history.finish();
}

class History {
  readonly #context: RequestContext;
  readonly #parts: PartReader;
  readonly #messages: MessageParam[] = [];
  readonly #ids = new CallIds();
  #results: ToolResultBlockParam[] = [];
  #said: ContentBlockParam[] = [];

  constructor(messages: readonly ChatMessage[], context: RequestContext) {
    this.#context = context;
    this.#parts = new PartReader(messages, context.reportOmitted, context);
  }

  add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        // Anthropic takes system messages as a setting of the request.
        break;
      case "user":
        this.#said.push(...this.#read(message));
        break;
      case "tool":
        this.#addResult(message);
        break;
      case "assistant":
        this.#addAnswer(message);
        break;
    }
  }

  finish(): MessageParam[] {
    this.#endUsersTurn();
    const last = this.#messages.at(-1);
    if (last === undefined) {
      throw new TroupeError("invalid_request", "anthropic needs at least one message of the user's that is not empty.");
    }
    // Newer models refuse to continue an assistant message.
    if (last.role === "assistant")
      this.#messages.push({ role: "user", content: [{ type: "text", text: "Continue." }] });
    return this.#messages;
  }

  #read(message: ChatMessage): UserContent[] {
    return this.#parts.read(message, (part) => toContent(part, this.#context)).flat();
  }

  #addResult(message: ChatMessage): void {
    const { toolCallId = "", content } = message;
    const id = this.#ids.take(toolCallId);
    if (id === undefined) {
      this.#context.reportOmitted("the result of a tool", "no call right before it has its id", "messages");
      return;
    }
    const said = this.#read(message);
    const isText = typeof content === "string" && said.length > 0;
    const told = isText ? content : said;
    this.#results.push({ type: "tool_result", tool_use_id: id, ...(told.length > 0 && { content: told }) });
  }

  #addAnswer(message: ChatMessage): void {
    this.#endUsersTurn();
    if (this.#messages.length === 0) {
      this.#context.reportOmitted("an answer", "a conversation begins with the user", "messages");
      return;
    }
    const content = replayOf(message, this.#context.model) ?? this.#spell(message);
    if (content.length === 0) return;
    const before = this.#messages.at(-1);
    if (before?.role === "assistant" && Array.isArray(before.content)) before.content.push(...content);
    else this.#messages.push({ role: "assistant", content });
    for (const block of content) if (block.type === "tool_use") this.#ids.open(block);
  }

  #spell(message: ChatMessage): ContentBlockParam[] {
    const { toolCalls = [] } = message;
    return [
      ...toText(this.#parts.readText(message)),
      ...toolCalls.map(({ id, name, arguments: input }) => ({
        type: "tool_use" as const,
        id,
        name: toLegalName(name),
        input,
      })),
    ];
  }

  /** Adds a user message: the results of all calls of the last answer, then all other content. */
  #endUsersTurn(): void {
    const missing = this.#ids.takeAll().map((id) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: "not executed",
      is_error: true,
    }));
    const content = [...this.#results, ...missing, ...this.#said];
    this.#results = [];
    this.#said = [];
    if (content.length > 0) this.#messages.push({ role: "user", content });
  }
}

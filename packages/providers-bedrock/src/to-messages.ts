import { TroupeError } from "@troupe/core";
import type { ChatMessage, ToolCall } from "@troupe/core";
import { PartReader } from "@troupe/core/provider";
import { CallIds } from "./call-ids.ts";
import { providerId } from "./options.ts";
import { replayOf, toLegalName } from "./replay.ts";
import type { RequestContext } from "./request-context.ts";
import { DocumentNames, toContent, toText } from "./to-content.ts";
import type { WireBlock, WireContent, WireMessage, WireToolResult } from "./wire-types.ts";

/**
 * Converts the messages of a conversation to messages of Converse, in which user and assistant alternate. Results of
 * tool calls directly follow the answer with the calls. `hasTools` is false for a request without tools: Bedrock then
 * refuses tool calls and results, which are sent as text instead. Throws `invalid_request` if no message is left.
 */
export function toMessages(
  messages: readonly ChatMessage[],
  context: RequestContext,
  hasTools: boolean,
): WireMessage[] {
  const history = new History(messages, context, hasTools);
  for (const message of messages) history.add(message);
  return history.finish();
}

class History {
  readonly #context: RequestContext;
  readonly #hasTools: boolean;
  readonly #parts: PartReader;
  readonly #names = new DocumentNames();
  readonly #messages: WireMessage[] = [];
  readonly #ids: CallIds;
  #isTold = false;
  #results: WireBlock[] = [];
  #said: WireBlock[] = [];

  constructor(messages: readonly ChatMessage[], context: RequestContext, hasTools: boolean) {
    this.#context = context;
    this.#hasTools = hasTools;
    this.#parts = new PartReader(messages, context.reportOmitted, context);
    this.#ids = new CallIds(context.rules.callIds);
  }

  add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        // Bedrock takes system messages as a setting of the request.
        break;
      case "user":
        this.#said.push(...withWords(this.#read(message)));
        break;
      case "tool":
        this.#addResult(message);
        break;
      case "assistant":
        this.#addAnswer(message);
        break;
    }
  }

  finish(): WireMessage[] {
    this.#endUsersTurn();
    const last = this.#messages.at(-1);
    if (last === undefined) {
      throw new TroupeError(
        "invalid_request",
        `${providerId} needs at least one message of the user's that is not empty.`,
      );
    }
    // Many models refuse to continue an assistant message.
    if (last.role === "assistant") this.#messages.push({ role: "user", content: [{ text: "Continue." }] });
    return this.#messages;
  }

  #read(message: ChatMessage): WireContent[] {
    return this.#parts.read(message, (part) => toContent(part, this.#context, this.#names)).flat();
  }

  #addResult(message: ChatMessage): void {
    const id = this.#ids.take(message.toolCallId ?? "");
    if (id === undefined) {
      this.#context.reportOmitted("the result of a tool", "no call right before it has its id", "messages");
      return;
    }
    const said = this.#read(message);
    const content = said.length > 0 ? said : [{ text: "(no content)" }];
    if (this.#hasTools) this.#results.push({ toolResult: { toolUseId: id, content } });
    else this.#results.push({ text: "Result of the tool call:" }, ...content);
  }

  #addAnswer(message: ChatMessage): void {
    this.#endUsersTurn();
    if (this.#messages.length === 0) {
      this.#context.reportOmitted("an answer", "a conversation begins with the user", "messages");
      return;
    }
    const replayed = this.#hasTools ? replayOf(message, this.#context.model) : undefined;
    const content = (replayed ?? this.#spell(message)).map((block) => this.#withOwnId(block));
    if (content.length === 0) return;
    this.#push("assistant", content);
  }

  #spell(message: ChatMessage): WireBlock[] {
    const { toolCalls = [] } = message;
    return [...toText(this.#parts.readText(message)), ...toolCalls.map((call) => this.#spellCall(call))];
  }

  #spellCall({ id, name, arguments: input }: ToolCall): WireBlock {
    if (this.#hasTools) return { toolUse: { toolUseId: id, name: toLegalName(name), input } };
    this.#ids.open(id);
    if (!this.#isTold) {
      this.#isTold = true;
      this.#context.reportReplaced(
        "the calls of tools in the messages",
        "the vendor takes them only in a request with tools; they stand in words instead",
        "messages",
      );
    }
    return { text: `Called the tool ${name} with ${JSON.stringify(input)}.` };
  }

  /** Returns a call with an id that is legal and unique in the request, and stores it until its result. */
  #withOwnId(block: WireBlock): WireBlock {
    if (!("toolUse" in block)) return block;
    const { toolUse } = block;
    return { toolUse: { ...toolUse, toolUseId: this.#ids.open(toolUse.toolUseId) } };
  }

  /** Adds a user message: the results of all calls of the last answer, then all other content. */
  #endUsersTurn(): void {
    const missing = this.#ids.takeAll().map((id) => (this.#hasTools ? notExecuted(id) : { text: "(not executed)" }));
    const content = [...this.#results, ...missing, ...this.#said];
    this.#results = [];
    this.#said = [];
    if (content.length > 0) this.#push("user", content);
  }

  /**
   * Adds a message. If the last message has the same role, because an empty answer between them was omitted, appends to
   * it.
   */
  #push(role: WireMessage["role"], content: WireBlock[]): void {
    const before = this.#messages.at(-1);
    if (before?.role === role) before.content.push(...content);
    else this.#messages.push({ role, content });
  }
}

function notExecuted(toolUseId: string): WireToolResult {
  return { toolResult: { toolUseId, content: [{ text: "not executed" }] } };
}

/** Adds a text to a message that has documents but no text, because Bedrock refuses documents alone. */
function withWords(said: readonly WireContent[]): readonly WireContent[] {
  const isAlone = said.some((block) => "document" in block) && !said.some((block) => "text" in block);
  return isAlone ? [...said, { text: "See the attached document." }] : said;
}

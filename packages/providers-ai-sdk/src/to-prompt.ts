import { TroupeError } from "@troupe/core";
import type { ChatMessage, ToolCall } from "@troupe/core";
import { readObjects, readText } from "@troupe/core/kit";
import type { PartReader, ReportRequestOmission } from "@troupe/core/provider";
import { replayOf } from "./replay.ts";
import type { ReplayPart } from "./replay.ts";
import { readPart, toResultPart, toUserPart } from "./to-file.ts";
import type { FileContext } from "./to-file.ts";

/**
 * The context of the conversion of messages: the model, the reader of their parts, and a function that reports omitted
 * parts.
 */
export type PromptContext = FileContext & {
  readonly partReader: PartReader;
  readonly reportOmitted: ReportRequestOmission;
};

/** A message of the AI SDK's prompt. */
type PromptMessage = { role: "system"; content: string } | { role: "user" | "assistant" | "tool"; content: object[] };

/**
 * Converts messages to a prompt of the AI SDK. The leading system messages become one message. A later system message
 * becomes a message of the user, because most vendors refuse it. Each tool call gets exactly one result, directly after
 * its answer.
 */
export function toPrompt(messages: readonly ChatMessage[], context: PromptContext): PromptMessage[] {
  const prompt = new Prompt(context);
  for (const message of messages) prompt.add(message);
  return prompt.finish();
}

/** Returns the names of the tools that a prompt's assistant messages call. */
export function calledIn(prompt: readonly PromptMessage[]): string[] {
  const parts = prompt.flatMap(({ role, content }) => (role === "assistant" ? readObjects(content) : []));
  const calls = parts.filter(({ type, providerExecuted }) => type === "tool-call" && providerExecuted !== true);
  return [...new Set(calls.map(({ toolName }) => readText(toolName)))];
}

/** A tool call of the last assistant message: its own id, the id under which it is sent, its name and its arguments. */
type OpenCall = { given: string; sent: string; name: string; input: object };

const notExecuted = { type: "error-text", value: "not executed" };

function resultOf({ sent, name }: OpenCall, output: object): object {
  return { type: "tool-result", toolCallId: sent, toolName: name, output };
}

/**
 * Returns a tool name that every vendor accepts. Packages look names up in plain objects, where names such as
 * `constructor` already exist.
 */
function toLegalName(name: string): string {
  const legal = name.replace(/[^\w-]/g, "_").slice(0, 64) || "_";
  return legal in {} ? `${legal}_` : legal;
}

/** Returns a part of an answer with the id and the name under which its tool call is sent. */
function withIds(part: ReplayPart, calls: readonly OpenCall[]): object {
  if (part.type !== "tool-call" || part["providerExecuted"] === true) return part;
  const call = calls.find(({ given }) => given === part["toolCallId"]);
  return call === undefined ? part : { ...part, toolCallId: call.sent, toolName: call.name };
}

class Prompt {
  readonly #context: PromptContext;
  readonly #messages: PromptMessage[] = [];
  #system: string[] = [];
  readonly #usedIds = new Set<string>();
  /** The tool calls of the last assistant message. */
  #calls: OpenCall[] = [];
  readonly #outputs = new Map<OpenCall, object>();

  constructor(context: PromptContext) {
    this.#context = context;
  }

  add(message: ChatMessage): void {
    if (message.role === "tool") this.#addResult(message);
    else if (message.role === "assistant") this.#addAnswer(message);
    else if (message.role === "system" && this.#messages.length === 0) this.#addSystem(message);
    else this.#addUser(message);
  }

  finish(): PromptMessage[] {
    this.#endResults();
    if (this.#messages.length === 0) {
      const { providerId } = this.#context;
      const text = `${providerId} needs at least one message of the user's that is not empty.`;
      throw new TroupeError("invalid_request", text, { fields: { vendor: providerId } });
    }
    // Newer models refuse to continue an assistant message.
    if (this.#messages.at(-1)?.role === "assistant")
      this.#messages.push({ role: "user", content: [{ type: "text", text: "Continue." }] });
    const content = this.#system.join("\n\n");
    return content === "" ? this.#messages : [{ role: "system", content }, ...this.#messages];
  }

  #addSystem(message: ChatMessage): void {
    const text = this.#context.partReader.readText(message);
    if (text !== "") this.#system.push(text);
  }

  #addUser(message: ChatMessage): void {
    this.#endResults();
    const { partReader, version } = this.#context;
    const content = partReader
      .read(message, (part) => readPart(part, this.#context))
      .filter((part) => part.type !== "text" || part.text.trim() !== "")
      .map((part) => toUserPart(part, version));
    if (content.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role === "user") last.content.push(...content);
    else this.#messages.push({ role: "user", content });
  }

  #addAnswer(message: ChatMessage): void {
    this.#endResults();
    const { partReader, providerId, modelId, reportOmitted } = this.#context;
    if (this.#messages.length === 0) {
      reportOmitted("an answer", "a conversation begins with the user", "messages");
      return;
    }
    const calls = (message.toolCalls ?? []).map((call) => this.#openCall(call));
    const text = partReader.readText(message);
    const replayed = replayOf(message, { providerId, modelId })?.map((part) => withIds(part, calls));
    const content = replayed ?? [
      ...(text.trim() === "" ? [] : [{ type: "text", text }]),
      ...calls.map(({ sent, name, input }) => ({ type: "tool-call", toolCallId: sent, toolName: name, input })),
    ];
    this.#calls = calls;
    if (content.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role === "assistant") last.content.push(...content);
    else this.#messages.push({ role: "assistant", content });
  }

  /**
   * Gives a tool call an id that is unique in the request, and a name that every vendor accepts, because models
   * invent names.
   */
  #openCall({ id, name, arguments: input }: ToolCall): OpenCall {
    const legal = id.replace(/[^\w-]/g, "_").slice(0, 60) || "call";
    let sent = legal;
    for (let count = 2; this.#usedIds.has(sent); count += 1) sent = `${legal}_${count}`;
    this.#usedIds.add(sent);
    return { given: id, sent, name: toLegalName(name), input };
  }

  #addResult(message: ChatMessage): void {
    const { toolCallId = "" } = message;
    const call = this.#calls.find((open) => open.given === toolCallId && !this.#outputs.has(open));
    if (call === undefined) {
      this.#context.reportOmitted("the result of a tool", "no call right before it has its id", "messages");
      return;
    }
    this.#outputs.set(call, this.#toOutput(message));
  }

  #toOutput(message: ChatMessage): object {
    const { partReader, version } = this.#context;
    if (!Array.isArray(message.content)) return { type: "text", value: message.content ?? "" };
    const parts = partReader.read(message, (part) => readPart(part, this.#context));
    if (parts.every((part) => part.type === "text")) {
      return { type: "text", value: parts.map(({ text }) => text).join("\n") };
    }
    return { type: "content", value: parts.map((part) => toResultPart(part, version)) };
  }

  /**
   * Adds the results of the last answer's tool calls, in the order of the calls. A call without a result gets a text
   * that states this.
   */
  #endResults(): void {
    const content = this.#calls.map((call) => resultOf(call, this.#outputs.get(call) ?? notExecuted));
    if (content.length > 0) this.#messages.push({ role: "tool", content });
    this.#calls = [];
    this.#outputs.clear();
  }
}

import type { Content, FunctionCall, FunctionResponse, Part } from "@google/genai/web";
import { TroupeError } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import { PartReader } from "@troupe/core/provider";
import { callsIn, replayOf, toLegalName } from "./replay.ts";
import type { RequestContext } from "./request-context.ts";
import { toParts, toText } from "./to-parts.ts";

/**
 * Converts the messages of a conversation to Gemini's `contents`, in which user and model alternate. Results of tool
 * calls directly follow the answer with the calls, in their order. Throws `invalid_request` if no message is left.
 */
export function toContents(messages: readonly ChatMessage[], context: RequestContext): Content[] {
  const history = new History(messages, context);
  for (const message of messages) history.add(message);
  return history.finish();
}

/** A tool call that waits for its result: its id in the history, the call as sent, and its response. */
type OpenCall = { id: string; sent: FunctionCall; result?: Pick<FunctionResponse, "response" | "parts"> };

/** Gemini's documented placeholder for a thought signature that this model did not make. */
const noSignature = "skip_thought_signature_validator";

class History {
  readonly #context: RequestContext;
  readonly #parts: PartReader;
  readonly #contents: Content[] = [];
  #calls: OpenCall[] = [];
  #userParts: Part[] = [];

  constructor(messages: readonly ChatMessage[], context: RequestContext) {
    this.#context = context;
    this.#parts = new PartReader(messages, context.reportOmitted, context);
  }

  add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        // Gemini accepts system messages as a setting of the request, so they are not a part of the contents.
        break;
      case "user":
        this.#userParts.push(...this.#read(message));
        break;
      case "tool":
        this.#addResult(message);
        break;
      case "assistant":
        this.#addAnswer(message);
        break;
    }
  }

  finish(): Content[] {
    this.#flushUserParts();
    const last = this.#contents.at(-1);
    if (last === undefined) {
      const { providerId } = this.#context.model;
      throw new TroupeError("invalid_request", `${providerId} needs at least one user message that is not empty.`);
    }
    // Gemini requires that the last content is from the user.
    if (last.role === "model") this.#contents.push({ role: "user", parts: [{ text: "Continue." }] });
    return this.#contents;
  }

  #read(message: ChatMessage): Part[] {
    return this.#parts.read(message, (part) => toParts(part, this.#context)).flat();
  }

  #addResult(message: ChatMessage): void {
    const { toolCallId = "" } = message;
    const call = this.#calls.find(({ id, result }) => id === toolCallId && result === undefined);
    if (call === undefined) {
      this.#context.reportOmitted("a tool result", "no call before it has its id", "messages");
      return;
    }
    const read = this.#read(message);
    const others = read.filter(({ text }) => text === undefined);
    const parts = this.#context.rules.mediaInResults ? others.filter(fitsResult) : [];
    const output = read.flatMap(({ text }) => text ?? []).join("\n");
    call.result = { response: { output }, ...(parts.length > 0 && { parts }) };
    // Parts that Gemini does not accept inside a tool's result are sent after the results.
    this.#userParts.push(...others.filter((part) => !parts.includes(part)));
  }

  #addAnswer(message: ChatMessage): void {
    this.#flushUserParts();
    if (this.#contents.length === 0) {
      this.#context.reportOmitted("an assistant message", "the conversation must begin with the user", "messages");
      return;
    }
    const parts = replayOf(message, this.#context.model) ?? this.#toModelParts(message);
    if (parts.length === 0) return;
    const before = this.#contents.at(-1);
    if (before?.role === "model") before.parts?.push(...parts);
    else this.#contents.push({ role: "model", parts });
    const sent = callsIn(parts);
    this.#calls = (message.toolCalls ?? []).map(({ id }, index) => ({ id, sent: sent[index] ?? {} }));
  }

  #toModelParts(message: ChatMessage): Part[] {
    const { toolCalls = [] } = message;
    const { signatures } = this.#context.rules;
    const calls = toolCalls.map(({ name, arguments: args }, index): Part => ({
      functionCall: { name: toLegalName(name), args },
      // Only the first of parallel tool calls has a thought signature.
      ...(signatures && index === 0 && { thoughtSignature: noSignature }),
    }));
    return [...toText(this.#parts.readText(message)), ...calls];
  }

  /**
   * Adds a user content to the request, unless it is empty: the results of all calls of the last answer, then all other
   * parts.
   */
  #flushUserParts(): void {
    const results = this.#calls.map(({ sent, result }): Part => {
      const { id, name = "" } = sent;
      return {
        functionResponse: {
          ...(id !== undefined && { id }),
          name,
          ...(result ?? { response: { error: "not executed" } }),
        },
      };
    });
    const parts = [...results, ...this.#userParts];
    this.#calls = [];
    this.#userParts = [];
    if (parts.length > 0) this.#contents.push({ role: "user", parts });
  }
}

const resultTypes: readonly unknown[] = ["image/png", "image/jpeg", "image/webp", "application/pdf"];

/** Returns true if a part may be inside the result of a tool: few types may, and only as inline data. */
function fitsResult({ inlineData }: Part): boolean {
  return inlineData !== undefined && resultTypes.includes(inlineData.mimeType);
}

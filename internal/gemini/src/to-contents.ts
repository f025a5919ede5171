import type { Content, FunctionCall, Part } from "@google/genai/web";
import { TroupeError } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import { PartReader } from "@troupe/core/adapter";
import { callsIn, replayOf } from "./replay.ts";
import type { RequestContext } from "./request-context.ts";
import { toParts, toText } from "./to-parts.ts";

/** Turns a conversation into contents that take turns, the results of an answer's calls right behind it and in their order. */
export function toContents(messages: readonly ChatMessage[], context: RequestContext): Content[] {
  const history = new History(messages, context);
  for (const message of messages) history.add(message);
  return history.finish();
}

/** A call that waits for its result: the id that it has here, what went out, and what came of it. */
type OpenCall = { id: string; sent: FunctionCall; response?: Record<string, unknown> };

/** The documented stand-in for the signature of a thought that this model never had. */
const noSignature = "skip_thought_signature_validator";

class History {
  readonly #context: RequestContext;
  readonly #parts: PartReader;
  readonly #contents: Content[] = [];
  #calls: OpenCall[] = [];
  #said: Part[] = [];

  constructor(messages: readonly ChatMessage[], context: RequestContext) {
    this.#context = context;
    this.#parts = new PartReader(messages, context.drop);
  }

  add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        // Stands apart from the contents.
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

  finish(): Content[] {
    this.#endUsersTurn();
    const last = this.#contents.at(-1);
    if (last === undefined) {
      const { providerId } = this.#context.model;
      throw new TroupeError(
        "invalid_request",
        `${providerId} needs at least one message of the user's that is not empty.`,
      );
    }
    // The model answers the user, and does not go on from its own words.
    if (last.role === "model") this.#contents.push({ role: "user", parts: [{ text: "Continue." }] });
    return this.#contents;
  }

  #read(message: ChatMessage): Part[] {
    return this.#parts.read(message, (part) => toParts(part, this.#context)).flat();
  }

  #addResult(message: ChatMessage): void {
    const { toolCallId = "" } = message;
    const call = this.#calls.find(({ id, response }) => id === toolCallId && response === undefined);
    if (call === undefined) {
      this.#context.drop("the result of a tool", "no call right before it has its id");
      return;
    }
    const parts = this.#read(message);
    call.response = { output: parts.flatMap(({ text }) => text ?? []).join("\n") };
    // What is not text follows the results.
    this.#said.push(...parts.filter(({ text }) => text === undefined));
  }

  #addAnswer(message: ChatMessage): void {
    this.#endUsersTurn();
    if (this.#contents.length === 0) {
      this.#context.drop("an answer", "a conversation begins with the user");
      return;
    }
    const parts = replayOf(message, this.#context.model) ?? this.#spell(message);
    if (parts.length === 0) return;
    const before = this.#contents.at(-1);
    if (before?.role === "model") before.parts?.push(...parts);
    else this.#contents.push({ role: "model", parts });
    const sent = callsIn(parts);
    this.#calls = (message.toolCalls ?? []).map(({ id }, index) => ({ id, sent: sent[index] ?? {} }));
  }

  #spell(message: ChatMessage): Part[] {
    const { toolCalls = [] } = message;
    const { signatures } = this.#context.rules;
    const calls = toolCalls.map(({ name, arguments: args }, index): Part => ({
      functionCall: { name: toLegalName(name), args },
      // Of parallel calls, the first alone is signed.
      ...(signatures && index === 0 && { thoughtSignature: noSignature }),
    }));
    return [...toText(this.#parts.readText(message)), ...calls];
  }

  /** All results of an answer stand in one content right after it, before anything else that is said. */
  #endUsersTurn(): void {
    const results = this.#calls.map(({ sent, response }): Part => {
      const { id, name = "" } = sent;
      return {
        functionResponse: { ...(id !== undefined && { id }), name, response: response ?? { error: "not executed" } },
      };
    });
    const parts = [...results, ...this.#said];
    this.#calls = [];
    this.#said = [];
    if (parts.length > 0) this.#contents.push({ role: "user", parts });
  }
}

/** A name as Gemini takes it; other vendors' histories may hold others. */
function toLegalName(name: string): string {
  const legal = name.replace(/[^\w.:-]/g, "_");
  return (/^[A-Za-z_]/.test(legal) ? legal : `_${legal}`).slice(0, 128);
}

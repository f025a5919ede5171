import { TroupeError } from "@troupe/core";
import type { RunWait, StreamChunk, TokenUsage } from "@troupe/core";
import type { PartEvent } from "../run/part-events.ts";
import type { PartUsage } from "../run/part-usage.ts";
import { callOf } from "../run/calls.ts";
import { toShownChunk } from "../run/shown-chunk.ts";
import { toCallId } from "../wire/ids.ts";
import { toChatUsage } from "../wire/usage.ts";

/** The ways in which a stream shows the calls of the agent's own tools. */
type ShownTools = "status" | "reasoning" | "hidden";

/** A tool call for the client to execute. */
export type ChatToolCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
};

/** The facts about a chat completion that each of its chunks repeats. */
export type ChatFacts = {
  readonly runId: string;
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly tools: ShownTools;
  /** The names of the tools that the client executes. Their calls are sent once the run waits for them. */
  readonly clientTools: ReadonlySet<string>;
  /** The usage of the part of the run that the completion answers. */
  readonly used: PartUsage;
};

const reasons: Readonly<Record<string, string>> = { length: "length", content_filter: "content_filter" };

/** Returns the `finish_reason` of the API for the finish reason of a model. */
export function toFinishReason(reason: string | undefined): string {
  return reasons[reason ?? ""] ?? "stop";
}

/** Converts the events of a run into the chunks of a chat completion. */
export class ChatWriter {
  readonly #facts: ChatFacts;
  readonly #send: (chunk: object) => void;
  readonly #calls: ChatToolCall[] = [];
  readonly #asked = new Set<string>();
  #hasBegun = false;
  #hasText = false;
  #isBehindTool = false;
  /** The steps of the run whose text was sent. */
  readonly #told = new Set<string>();
  #finishReason: string | undefined;
  /** The usage of the whole run, once it has ended. */
  usage: TokenUsage | undefined;

  constructor(facts: ChatFacts, send: (chunk: object) => void) {
    this.#facts = facts;
    this.#send = send;
  }

  /**
   * Adds an event of the run. The caller handles the end, the failure and the pause of the run. Throws `interrupted` if
   * another process makes text anew that was sent, because a completion cannot take text back.
   */
  take(event: PartEvent): void {
    this.#facts.used.add(event);
    if (event.type === "chunk") this.#takeChunk(event.chunk as StreamChunk, event.step ?? "");
    else if (event.type === "wait") this.#takeWait(event.wait);
    else if (event.type === "reset" && this.#told.has(event.step)) throw interrupted(this.#facts.runId);
  }

  /** Adds the whole text and the usage of a workflow, whose events have no text. */
  addText({ text, usage }: { readonly text: string; readonly usage: TokenUsage }): void {
    this.usage = usage;
    this.#write(text);
  }

  /** Ends the completion when the run has ended or waits for its client's tools. */
  finish(includeUsage: boolean): void {
    this.#begin();
    const isWaiting = this.#calls.length > 0;
    if (isWaiting) this.#delta({ tool_calls: this.#calls.map((call, index) => ({ index, ...call })) });
    this.#emit([
      {
        index: 0,
        delta: {},
        logprobs: null,
        finish_reason: isWaiting ? "tool_calls" : toFinishReason(this.#finishReason),
      },
    ]);
    const used = this.#facts.used.of(this.usage);
    if (includeUsage && used !== undefined) this.#emit([], { usage: toChatUsage(used) });
  }

  #takeChunk(given: StreamChunk, step: string): void {
    const chunk = toShownChunk(given);
    switch (chunk?.type) {
      case "text":
        this.#told.add(step);
        return this.#write(chunk.text);
      case "thinking":
        return this.#delta({ reasoning_content: chunk.text });
      case "tool_call_start":
        this.#isBehindTool = this.#hasText;
        return this.#showTool(chunk.toolCall.name, false);
      case "tool_result":
        return this.#showTool(chunk.toolName, true);
      case "source":
        return this.#cite(chunk);
      case "finish":
        this.#finishReason = chunk.finishReason;
        this.usage = chunk.usage;
        return undefined;
      default:
        return undefined;
    }
  }

  /** Adds text. Text of the model after a tool call is separated from the text before it by a blank line. */
  #write(text: string): void {
    const content = this.#isBehindTool ? `\n\n${text}` : text;
    this.#isBehindTool = false;
    this.#hasText = true;
    this.#delta({ content });
  }

  #showTool(name: string, done: boolean): void {
    if (this.#facts.tools === "hidden" || this.#facts.clientTools.has(name)) return;
    if (this.#facts.tools === "reasoning") {
      this.#delta({ reasoning_content: done ? `Used ${name}.\n` : `Calling ${name}. ` });
    } else {
      this.#begin();
      this.#emit([], { event: { type: "status", data: { description: name, done } } });
    }
  }

  #cite({ url, title = url }: { url?: string | undefined; title?: string | undefined }): void {
    if (url === undefined) return;
    const citation = { url, title, start_index: 0, end_index: 0 };
    this.#delta({ annotations: [{ type: "url_citation", url_citation: citation }] });
  }

  #takeWait(wait: RunWait): void {
    if (wait.kind !== "input" || this.#asked.has(wait.id)) return;
    this.#asked.add(wait.id);
    const { name, args } = callOf(wait);
    const id = toCallId({ runId: this.#facts.runId, waitId: wait.id });
    this.#calls.push({ id, type: "function", function: { name, arguments: args } });
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#emit([{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }]);
  }

  #delta(delta: object): void {
    this.#begin();
    this.#emit([{ index: 0, delta, logprobs: null, finish_reason: null }]);
  }

  #emit(choices: readonly object[], more: object = {}): void {
    const { id, created, model } = this.#facts;
    this.#send({ id, object: "chat.completion.chunk", created, model, choices, ...more });
  }
}

/** Returns the tool calls that a waiting run asks its client to execute. */
export function toChatCalls(runId: string, waits: readonly RunWait[]): ChatToolCall[] {
  return waits
    .filter(({ kind }) => kind === "input")
    .map((wait) => {
      const { name, args } = callOf(wait);
      return { id: toCallId({ runId, waitId: wait.id }), type: "function", function: { name, arguments: args } };
    });
}

function interrupted(runId: string): TroupeError {
  const message = "Another process has taken over the run, and begins this part of the answer again. Ask again.";
  return new TroupeError("interrupted", message, { fields: { runId } });
}

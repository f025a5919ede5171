import type { FinishReason, TokenUsage } from "@troupe/core";
import { createId, getOwn, readObject, readText } from "@troupe/core/kit";
import { noUsage, readUsage, TruncatedResponseError } from "@troupe/core/provider";
import type { EventReader, ModelChunk } from "@troupe/core/provider";
import { toVendorError } from "./errors.ts";
import { toVendorState } from "./replay.ts";
import type { WireEvent, WirePart } from "./wire-types.ts";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end: "stop",
  calls: "tool_calls",
  limit: "length",
  withheld: "content_filter",
};

/** Converts the vendor's reason for its end. */
export function toFinishReason(why: string): FinishReason {
  return getOwn(finishReasons, why) ?? "other";
}

/** Converts the vendor's counts, whose parts are within `in` and `out`. */
export function toUsage(tokens: unknown): TokenUsage {
  const toCounts = (counts: Readonly<Record<string, unknown>>) => ({
    promptTokens: counts["in"],
    completionTokens: counts["out"],
    cachedTokens: counts["cached"],
    reasoningTokens: counts["reasoning"],
  });
  return readUsage(tokens, toCounts) ?? noUsage;
}

/** Event whose text, if it has one, was read. */
type ReadEvent = { readonly text: string; readonly [field: string]: unknown };
type Call = { id: string; name: string; args: string };

/** Converts the events of one streamed answer to chunks, and keeps its parts for the next call of the run. */
export class TideEventReader implements EventReader<WireEvent> {
  readonly #model: { providerId: string; modelId: string };
  readonly #parts: WirePart[] = [];
  // By the number that the vendor gives each call.
  readonly #calls = new Map<unknown, Call>();
  #reasoning = "";
  #skippedCalls = 0;
  #answeredBy: { responseId?: string; model?: string } = {};
  #why = "";
  #tokens: unknown;
  #isComplete = false;

  /** By the kind of the event. The counts come after the reason to stop, so that the answer is over only with its last event. */
  readonly #readers: Readonly<Record<string, (event: ReadEvent, chunks: ModelChunk[]) => void>> = {
    begin: ({ id, model }) => void (this.#answeredBy = { responseId: readText(id), model: readText(model) }),
    reasoning: ({ text }, chunks) => this.#reason(text, chunks),
    seal: ({ seal }) => this.#seal(readText(seal)),
    text: ({ text }, chunks) => this.#say(text, chunks),
    call: (event, chunks) => this.#call(event, chunks),
    args: (event, chunks) => this.#argue(event, chunks),
    stop: ({ why }) => void (this.#why = readText(why)),
    tokens: ({ tokens }) => void (this.#tokens = tokens),
    over: (_event, chunks) => this.#finish(chunks),
  };

  constructor(model: { providerId: string; modelId: string }) {
    this.#model = model;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read(event: WireEvent, chunks: ModelChunk[]): void {
    const { t, problem, text, ...fields } = readObject(event);
    if (problem !== undefined) throw toVendorError(event);
    // The vendor may add kinds of events at any time.
    getOwn(this.#readers, readText(t))?.({ text: readText(text), ...fields }, chunks);
  }

  end(): void {
    throw new TruncatedResponseError();
  }

  #reason(text: string, chunks: ModelChunk[]): void {
    this.#reasoning += text;
    if (text !== "") chunks.push({ type: "thinking", text });
  }

  #seal(seal: string): void {
    this.#parts.push({ reasoning: this.#reasoning, seal });
    this.#reasoning = "";
  }

  #say(text: string, chunks: ModelChunk[]): void {
    if (text === "") return;
    const last = this.#parts.at(-1);
    if (last !== undefined && "text" in last) last.text += text;
    else this.#parts.push({ text });
    chunks.push({ type: "text", text });
  }

  #call({ n, id, name }: ReadEvent, chunks: ModelChunk[]): void {
    const call = { id: readText(id) || `call_${createId()}`, name: readText(name), args: "" };
    if (call.name === "") {
      this.#skippedCalls += 1;
      return;
    }
    this.#calls.set(n, call);
    this.#parts.push({ call });
    chunks.push({ type: "tool_call_start", toolCall: { id: call.id, name: call.name } });
  }

  #argue({ n, piece }: ReadEvent, chunks: ModelChunk[]): void {
    const call = this.#calls.get(n);
    const argumentsDelta = readText(piece);
    if (call === undefined || argumentsDelta === "") return;
    call.args += argumentsDelta;
    chunks.push({ type: "tool_call_delta", toolCallId: call.id, argumentsDelta });
  }

  #finish(chunks: ModelChunk[]): void {
    if (this.#why === "") throw new TruncatedResponseError("did not say why its answer ended");
    this.#isComplete = true;
    for (const { id } of this.#calls.values()) chunks.push({ type: "tool_call_end", toolCallId: id });
    const vendorState = toVendorState(this.#parts, this.#model);
    chunks.push({
      type: "finish",
      finishReason: toFinishReason(this.#why),
      usage: toUsage(this.#tokens),
      ...this.#answeredBy,
      ...(vendorState !== undefined && { vendorState }),
      ...(this.#skippedCalls > 0 && { skippedCalls: this.#skippedCalls }),
    });
  }
}

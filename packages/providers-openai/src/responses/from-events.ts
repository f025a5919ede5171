import type { ModelChunk, SseEvent } from "@troupe/core/adapter";
import { wantsJson } from "../answer-format.ts";
import type { ModelCall, EventReader } from "../model-call.ts";
import { toVendorError, TruncatedResponseError } from "../vendor-error.ts";
import { toFinishChunk } from "./finish.ts";
import { isCommentary } from "./from-response.ts";
import { ResponsesToolCalls } from "./streamed-calls.ts";
import type { OutputItem, ResponseEvent } from "./wire-types.ts";

// Skipped without parsing: they repeat the request, or earlier events.
const unread = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "response.content_part.added",
  "response.content_part.done",
  "response.output_text.done",
  "response.refusal.done",
  "response.function_call_arguments.done",
  "response.reasoning_summary_text.done",
  "response.reasoning_summary_part.done",
  "response.reasoning_text.done",
]);

type Step = (reader: ResponsesEventReader, event: ResponseEvent, chunks: ModelChunk[]) => void;

/**
 * Converts the events of one streamed Responses answer to chunks. Unknown events are ignored, since the vendor adds new
 * ones.
 */
export class ResponsesEventReader implements EventReader {
  readonly #modelId: string;
  readonly #isJson: boolean;
  readonly #calls = new ResponsesToolCalls();
  readonly #commentary = new Set<number>();
  readonly #items: OutputItem[] = [];
  #hasThinking = false;
  #isComplete = false;

  constructor({ modelId, options }: ModelCall) {
    this.#modelId = modelId;
    this.#isJson = wantsJson(options.responseFormat);
  }

  read({ event: name = "", data }: SseEvent, chunks: ModelChunk[]): boolean {
    if (unread.has(name) || data === "[DONE]") return this.#isComplete;
    const event = JSON.parse(data) as ResponseEvent;
    ResponsesEventReader.#steps.get(event.type ?? "")?.(this, event, chunks);
    return this.#isComplete;
  }

  end(): void {
    if (!this.#isComplete) throw new TruncatedResponseError();
  }

  #addText({ delta = "", output_index: index = 0 }: ResponseEvent, chunks: ModelChunk[]): void {
    if (delta === "") return;
    if (this.#commentary.has(index)) this.#addThinking(delta, chunks);
    else chunks.push({ type: "text", text: delta });
  }

  #addThinking(text: string, chunks: ModelChunk[]): void {
    if (text === "") return;
    this.#hasThinking = true;
    chunks.push({ type: "thinking", text });
  }

  #startItem({ item = {}, output_index: index = 0 }: ResponseEvent, chunks: ModelChunk[]): void {
    if (item.type === "function_call") this.#calls.start(index, item, chunks);
    if (isCommentary(item, this.#isJson)) this.#commentary.add(index);
  }

  /** Only now the item is complete: encrypted content in earlier events may be partial. */
  #endItem({ item = {}, output_index: index = 0 }: ResponseEvent, chunks: ModelChunk[]): void {
    this.#items.push(item);
    if (item.type === "function_call") this.#calls.end(index, item, chunks);
  }

  #finish({ response = {} }: ResponseEvent, chunks: ModelChunk[]): void {
    this.#calls.endAll(chunks);
    const hasCalls = this.#calls.count > 0;
    chunks.push(toFinishChunk(response, { modelId: this.#modelId, items: this.#items, hasCalls }));
    this.#isComplete = true;
  }

  static readonly #steps: ReadonlyMap<string, Step> = new Map<string, Step>([
    ["response.output_text.delta", (reader, event, chunks) => reader.#addText(event, chunks)],
    ["response.refusal.delta", (reader, event, chunks) => reader.#addText(event, chunks)],
    ["response.reasoning_summary_text.delta", (reader, { delta = "" }, chunks) => reader.#addThinking(delta, chunks)],
    ["response.reasoning_text.delta", (reader, { delta = "" }, chunks) => reader.#addThinking(delta, chunks)],
    [
      "response.reasoning_summary_part.added",
      // Also the first part of a second item.
      (reader, _event, chunks) => reader.#addThinking(reader.#hasThinking ? "\n\n" : "", chunks),
    ],
    [
      "response.function_call_arguments.delta",
      (reader, { delta = "", output_index: index = 0 }, chunks) => reader.#calls.extend(index, delta, chunks),
    ],
    ["response.output_item.added", (reader, event, chunks) => reader.#startItem(event, chunks)],
    ["response.output_item.done", (reader, event, chunks) => reader.#endItem(event, chunks)],
    ["response.completed", (reader, event, chunks) => reader.#finish(event, chunks)],
    ["response.incomplete", (reader, event, chunks) => reader.#finish(event, chunks)],
    ["response.failed", (_reader, { response }) => fail(response?.error ?? {})],
    // Documented as flat, and seen nested.
    ["error", (_reader, event) => fail(event.error ?? event)],
  ]);
}

function fail(error: unknown): never {
  throw toVendorError(error);
}

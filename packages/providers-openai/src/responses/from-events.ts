import type { ModelChunk, SseEvent } from "@troupe/core/adapter";
import { wantsJson } from "../answer-format.ts";
import type { Call, EventReader } from "../call.ts";
import { toVendorFailure, TruncatedAnswer } from "../vendor-failure.ts";
import { toFinishChunk } from "./finish.ts";
import { isAside } from "./from-response.ts";
import { StreamedCalls } from "./streamed-calls.ts";
import type { OutputItem, ResponseEvent } from "./wire-types.ts";

// Known by name, so that nobody parses them: they repeat the request, and what was said before.
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

type Step = (reader: ResponsesReader, event: ResponseEvent, chunks: ModelChunk[]) => void;

/** Reads the events of Responses. What it has no step for is passed over: the vendor adds events as it likes. */
export class ResponsesReader implements EventReader {
  readonly #modelId: string;
  readonly #isJson: boolean;
  readonly #calls = new StreamedCalls();
  readonly #asides = new Set<number>();
  readonly #items: OutputItem[] = [];
  #isComplete = false;

  constructor({ modelId, options }: Call) {
    this.#modelId = modelId;
    this.#isJson = wantsJson(options.responseFormat);
  }

  read({ event: name = "", data }: SseEvent, chunks: ModelChunk[]): boolean {
    if (unread.has(name) || data === "[DONE]") return this.#isComplete;
    const event = JSON.parse(data) as ResponseEvent;
    ResponsesReader.#steps.get(event.type ?? "")?.(this, event, chunks);
    return this.#isComplete;
  }

  end(): void {
    if (!this.#isComplete) throw new TruncatedAnswer();
  }

  #addText({ delta = "", output_index: index = 0 }: ResponseEvent, chunks: ModelChunk[]): void {
    if (delta !== "") chunks.push({ type: this.#asides.has(index) ? "thinking" : "text", text: delta });
  }

  #addThinking(text: string, chunks: ModelChunk[]): void {
    if (text !== "") chunks.push({ type: "thinking", text });
  }

  #startItem({ item = {}, output_index: index = 0 }: ResponseEvent, chunks: ModelChunk[]): void {
    if (item.type === "function_call") this.#calls.start(index, item, chunks);
    if (isAside(item, this.#isJson)) this.#asides.add(index);
  }

  /** Only now an item is whole: what is encrypted in it before may be a part. */
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
      (reader, { summary_index: index = 0 }, chunks) => reader.#addThinking(index > 0 ? "\n\n" : "", chunks),
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
    // Said to be flat, and seen nested.
    ["error", (_reader, event) => fail(event.error ?? event)],
  ]);
}

function fail(error: unknown): never {
  throw toVendorFailure(error);
}

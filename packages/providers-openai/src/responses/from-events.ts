import { readObject, readObjects, readText } from "@troupe/core/kit";
import { TruncatedResponseError } from "@troupe/core/provider";
import type { EventReader, ModelChunk } from "@troupe/core/provider";
import { wantsJson } from "../answer-format.ts";
import type { ModelCall, ModelIdentity } from "../model-call.ts";
import { toVendorError } from "../errors.ts";
import { toFinishChunk } from "./finish.ts";
import { isCommentary, summaryOf, wordsOf } from "./from-response.ts";
import { sourcesIn } from "./sources.ts";
import { isNamedCall, ResponsesToolCalls } from "./streamed-calls.ts";
import type { ItemKey } from "./streamed-calls.ts";
import type { OutputItem, ResponseEvent, WireResponse } from "./wire-types.ts";

type Step = (reader: ResponsesEventReader, event: ResponseEvent, chunks: ModelChunk[]) => void;
/** The text of an item as received so far, and the type of chunk that carries it. */
type ItemWords = { type: "text" | "thinking"; told: string };

/**
 * Converts the events of one streamed Responses answer to chunks. Ignores unknown events, because the vendor may add
 * events at any time. If an event with text, a call or an item is missing, the content is taken from a later event, at
 * the latest from the last event, which repeats the whole answer.
 */
export class ResponsesEventReader implements EventReader<ResponseEvent> {
  readonly #identity: ModelIdentity;
  readonly #isJson: boolean;
  readonly #calls = new ResponsesToolCalls();
  readonly #words = new Map<ItemKey, ItemWords>();
  readonly #items = new Map<ItemKey, OutputItem>();
  #hasThinking = false;
  #isComplete = false;

  constructor({ providerId, modelId, options }: ModelCall) {
    this.#identity = { providerId, modelId };
    this.#isJson = wantsJson(options.responseFormat);
  }

  /** True once the event was read that repeats the whole answer. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  read(event: ResponseEvent, chunks: ModelChunk[]): void {
    if (event.type === undefined && event.error) fail(event.error);
    ResponsesEventReader.#steps.get(readText(event.type))?.(this, event, chunks);
  }

  end(): void {
    throw new TruncatedResponseError();
  }

  #addWords(type: ItemWords["type"], event: ResponseEvent, chunks: ModelChunk[]): void {
    const text = readText(event.delta);
    if (text === "") return;
    const words = this.#wordsAt(keyOf(event), type);
    words.told += text;
    this.#tell(words.type, text, chunks);
  }

  #wordsAt(key: ItemKey, type: ItemWords["type"]): ItemWords {
    const known = this.#words.get(key);
    if (known !== undefined) return known;
    const words = { type, told: "" };
    this.#words.set(key, words);
    return words;
  }

  #tell(type: ItemWords["type"], text: string, chunks: ModelChunk[]): void {
    if (text === "") return;
    if (type === "thinking") this.#hasThinking = true;
    chunks.push({ type, text });
  }

  #startItem(event: ResponseEvent, chunks: ModelChunk[]): void {
    const item: OutputItem = readObject(event.item);
    const key = keyOf(event);
    if (isNamedCall(item)) this.#calls.start(key, item, chunks);
    if (isCommentary(item, this.#isJson)) this.#wordsAt(key, "thinking");
  }

  /** Reads a finished item of the answer. Earlier events may contain only a part of its encrypted content. */
  #endItem(event: ResponseEvent, chunks: ModelChunk[]): void {
    const item: OutputItem = readObject(event.item);
    const key = keyOf(event);
    if (item.type === undefined || this.#items.has(key)) return;
    this.#items.set(key, item);
    if (isNamedCall(item)) this.#calls.end(key, item, chunks);
    if (item.type === "message") this.#endMessage(key, item, chunks);
    for (const source of sourcesIn(item)) chunks.push({ type: "source", ...source });
    if (item.type === "reasoning" && !this.#words.has(key)) {
      this.#tell("thinking", summaryOf(item, this.#hasThinking), chunks);
    }
  }

  /**
   * Adds the text of a message that no delta contained. Text that contradicts earlier deltas is ignored, because sent
   * text cannot be removed.
   */
  #endMessage(key: ItemKey, item: OutputItem, chunks: ModelChunk[]): void {
    const words = this.#wordsAt(key, isCommentary(item, this.#isJson) ? "thinking" : "text");
    const all = wordsOf(item);
    if (all.startsWith(words.told)) this.#tell(words.type, all.slice(words.told.length), chunks);
  }

  #finish(event: ResponseEvent, chunks: ModelChunk[]): void {
    const response: WireResponse = readObject(event.response);
    const ids = new Set([...this.#items.values()].map(idOf));
    for (const [index, item] of readObjects(response.output).entries()) {
      const id = idOf(item);
      if (id === "" || !ids.has(id)) this.#endItem({ output_index: index, item }, chunks);
    }
    this.#calls.endAll(chunks);
    const hasCalls = this.#calls.count > 0;
    const items = [...this.#items.values()];
    chunks.push(toFinishChunk(response, { maker: this.#identity, items, hasCalls }));
    this.#isComplete = true;
  }

  static readonly #steps: ReadonlyMap<string, Step> = new Map<string, Step>([
    ["response.output_text.delta", (reader, event, chunks) => reader.#addWords("text", event, chunks)],
    ["response.refusal.delta", (reader, event, chunks) => reader.#addWords("text", event, chunks)],
    ["response.reasoning_summary_text.delta", (reader, event, chunks) => reader.#addWords("thinking", event, chunks)],
    ["response.reasoning_text.delta", (reader, event, chunks) => reader.#addWords("thinking", event, chunks)],
    [
      "response.reasoning_summary_part.added",
      // A separator is also needed between two reasoning items, before the first part of the second.
      (reader, _event, chunks) => reader.#tell("thinking", reader.#hasThinking ? "\n\n" : "", chunks),
    ],
    [
      "response.function_call_arguments.delta",
      (reader, event, chunks) => reader.#calls.extend(keyOf(event), readText(event.delta), chunks),
    ],
    ["response.output_item.added", (reader, event, chunks) => reader.#startItem(event, chunks)],
    ["response.output_item.done", (reader, event, chunks) => reader.#endItem(event, chunks)],
    ["response.completed", (reader, event, chunks) => reader.#finish(event, chunks)],
    ["response.incomplete", (reader, event, chunks) => reader.#finish(event, chunks)],
    ["response.failed", (_reader, { response }) => fail(readObject(response)["error"])],
    // OpenAI documents the error event as flat, but some servers nest it.
    ["error", (_reader, event) => fail(event.error ?? event)],
  ]);
}

/** Returns the key of an item in the events of one answer: its index, or its id if the server sends no index. */
function keyOf({ output_index: index, item_id: id, item }: ResponseEvent): ItemKey {
  if (typeof index === "number") return index;
  return readText(id) || idOf(readObject(item)) || 0;
}

function idOf({ id, call_id: callId }: OutputItem): string {
  return readText(id) || readText(callId);
}

function fail(error: unknown): never {
  throw toVendorError(error);
}

import { createId, getOwn, readText } from "@troupe/core/kit";
import { readSource, TruncatedResponseError } from "@troupe/core/provider";
import type { EventReader, ModelChunk, ModelFinish } from "@troupe/core/provider";
import { toFinishReason, toUsage } from "./finish.ts";
import { inputText, withInput } from "./from-result.ts";
import { toReplay, toVendorState } from "./replay.ts";

type Part = Readonly<Record<string, unknown>>;

/** The context of a reader, besides the stream parts. */
type ReaderContext = {
  readonly model: { readonly providerId: string; readonly modelId: string };
  /** Receives the warnings at the start of a stream. */
  readonly onWarnings: (warnings: unknown) => void;
  /** Converts the error in a stream's error part. */
  readonly toError: (error: unknown) => unknown;
};

/** A block of text or reasoning, as received so far. */
type Block = { type: "text" | "reasoning"; text: string; providerMetadata?: unknown };

/** A tool call whose arguments arrive in pieces. */
type OpenCall = { id: string; text: string; isHosted: boolean; isEnded: boolean };

/** Converts the stream parts of one answer of the AI SDK to chunks. */
export class PartsReader implements EventReader<object> {
  isComplete = false;
  readonly #context: ReaderContext;
  readonly #calls = new Map<string, OpenCall>();
  /** The open blocks of text and reasoning, by type and id. */
  readonly #blocks = new Map<string, Block>();
  /** The parts of the answer in their order, for sending them back with the next request. */
  readonly #replay: Part[] = [];
  #facts: Pick<ModelFinish, "responseId" | "model"> = {};
  /** The ids of tool calls without a name. A call in pieces names its id several times. */
  readonly #skipped = new Set<string>();
  #hasCalls = false;

  /** Readers by the type of a part. Parts of other types are ignored. */
  readonly #readers: Readonly<Record<string, (part: Part, chunks: ModelChunk[]) => void>> = {
    "stream-start": ({ warnings }) => this.#context.onWarnings(warnings),
    "response-metadata": (part) => this.#addFacts(part),
    ...this.#textReaders("text"),
    ...this.#textReaders("reasoning"),
    "tool-input-start": (part, chunks) => void this.#start(toOpenCall(part, part["id"]), chunks),
    "tool-input-delta": ({ id, delta }, chunks) => this.#extend(readText(id), readText(delta), chunks),
    "tool-call": (part, chunks) => this.#addCall(part, chunks),
    source: (part, chunks) =>
      void chunks.push(...readSource(part).map((source) => ({ type: "source" as const, ...source }))),
    "tool-result": (part) => void this.#replay.push(part),
    custom: (part) => void this.#replay.push(part),
    "reasoning-file": (part) => void this.#replay.push(part),
    finish: (part, chunks) => this.#finish(part, chunks),
    error: ({ error }) => {
      throw this.#context.toError(error);
    },
  };

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  read(event: object, chunks: ModelChunk[]): void {
    const part = event as Part;
    getOwn(this.#readers, readText(part["type"]))?.(part, chunks);
  }

  end(): void {
    throw new TruncatedResponseError();
  }

  #addFacts({ id, modelId }: Part): void {
    this.#facts = {
      ...this.#facts,
      ...(readText(id) !== "" && { responseId: readText(id) }),
      ...(readText(modelId) !== "" && { model: readText(modelId) }),
    };
  }

  #textReaders(type: "text" | "reasoning") {
    const read = (part: Part, chunks: ModelChunk[]) => this.#addText(type, part, chunks);
    return { [`${type}-start`]: read, [`${type}-delta`]: read, [`${type}-end`]: read };
  }

  #addText(type: "text" | "reasoning", part: Part, chunks: ModelChunk[]): void {
    const key = `${type} ${readText(part["id"])}`;
    let block = this.#blocks.get(key);
    // A block that starts again under the same id is treated as a new block.
    if (block === undefined || part["type"] === `${type}-start`) {
      block = { type, text: "" };
      this.#blocks.set(key, block);
      this.#replay.push(block);
    }
    const delta = readText(part["delta"]);
    block.text += delta;
    if (part["providerMetadata"] !== undefined) block.providerMetadata = part["providerMetadata"];
    if (delta !== "") chunks.push({ type: type === "text" ? "text" : "thinking", text: delta });
  }

  #start({ id, name, isHosted: hosted }: NamedCall, chunks: ModelChunk[]): OpenCall | undefined {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    if (name === "" && !hosted) {
      this.#skipped.add(id);
      return undefined;
    }
    const call: OpenCall = { id: id || createId(), text: "", isHosted: hosted, isEnded: false };
    this.#calls.set(id, call);
    if (hosted) return call;
    this.#hasCalls = true;
    chunks.push({ type: "tool_call_start", toolCall: { id: call.id, name } });
    return call;
  }

  #extend(id: string, delta: string, chunks: ModelChunk[]): void {
    const call = this.#calls.get(id);
    if (call === undefined || call.isEnded || delta === "") return;
    call.text += delta;
    if (!call.isHosted) chunks.push({ type: "tool_call_delta", toolCallId: call.id, argumentsDelta: delta });
  }

  /** Reads a complete tool call. Most packages send it after its pieces, some packages instead of them. */
  #addCall(part: Part, chunks: ModelChunk[]): void {
    const id = readText(part["toolCallId"]);
    const call = this.#start(toOpenCall(part, id), chunks);
    if (call === undefined || call.isEnded) return;
    const input = inputText(part["input"]);
    if (input.startsWith(call.text)) this.#extend(id, input.slice(call.text.length), chunks);
    call.isEnded = true;
    this.#replay.push(withInput(call.id === id ? part : { ...part, toolCallId: call.id }));
    if (!call.isHosted) chunks.push({ type: "tool_call_end", toolCallId: call.id });
  }

  #finish({ finishReason, usage }: Part, chunks: ModelChunk[]): void {
    const counts = toUsage(usage);
    const reason = toFinishReason(finishReason, this.#hasCalls);
    const parts = this.#replay.flatMap((part) => toReplay(part) ?? []);
    const vendorState = toVendorState(parts, this.#context.model);
    this.isComplete = true;
    chunks.push({
      type: "finish",
      finishReason: reason,
      ...(counts !== undefined && { usage: counts }),
      ...this.#facts,
      ...(this.#skipped.size > 0 && { skippedCalls: this.#skipped.size }),
      ...(vendorState !== undefined && { vendorState }),
    });
  }
}

type NamedCall = { id: string; name: string; isHosted: boolean };

/** Reads the start of a call. A hosted call is executed by the vendor. */
function toOpenCall({ toolName, providerExecuted }: Part, id: unknown): NamedCall {
  return { id: readText(id), name: readText(toolName), isHosted: providerExecuted === true };
}

import type { TokenUsage } from "@troupe/core";
import { parseArguments, readObject, readText } from "@troupe/core/kit";
import { noUsage, TruncatedResponseError, stringifyArguments } from "@troupe/core/provider";
import type { EventReader, ModelChunk } from "@troupe/core/provider";
import { toStreamError } from "./errors.ts";
import { isGiven, newCallId } from "./from-response.ts";
import { toReasoning, toVendorState } from "./replay.ts";
import type { ReplayBlock } from "./replay.ts";
import { citedSource } from "./sources.ts";
import { toFinishReason } from "./to-finish-reason.ts";
import { toUsage } from "./to-usage.ts";
import type { WireEvent } from "./wire-types.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A block of the answer so far. `json`: the arguments of a call; `isOpen` is false once the call ended. */
type Block =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string; signature: string; redacted: string }
  | { kind: "call"; id: string; name: string; json: string; isOpen: boolean }
  /** A call without a name, which can neither be executed nor sent back. */
  | { kind: "skipped" };

/**
 * Converts the events of one streamed answer to chunks. Collects the blocks as `vendorState`, which the run's next
 * model call sends back.
 */
export class BedrockEventReader implements EventReader<WireEvent> {
  readonly #model: { providerId: string; modelId: string };
  /** Blocks of the answer by index, in the order in which they started. */
  readonly #blocks = new Map<unknown, Block>();
  #stopReason = "";
  #usage: TokenUsage | undefined;
  #isComplete = false;

  constructor(model: { providerId: string; modelId: string }) {
    this.#model = model;
  }

  /** True once the stop reason and the usage were read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** True once the stop reason was read: only the usage follows. */
  get isEnding(): boolean {
    return this.#stopReason !== "";
  }

  /** Appends the chunks of one event of Bedrock's answer. Throws if the event is an exception. */
  read(event: WireEvent, chunks: ModelChunk[]): void {
    const payload = readObject(event.payload);
    if (event.isException) throw toStreamError(readText(event.type), payload);
    this.#read(event.type, payload, chunks);
    // The answer ends when the stop reason and the usage have arrived: some servers send the usage first.
    if (this.#stopReason !== "" && this.#usage !== undefined) this.#finish(chunks);
  }

  #read(type: unknown, payload: Fields, chunks: ModelChunk[]): void {
    switch (type) {
      case "contentBlockStart":
        this.#start(payload, chunks);
        break;
      case "contentBlockDelta":
        this.#extend(payload["contentBlockIndex"], readObject(payload["delta"]), chunks);
        break;
      case "contentBlockStop":
        stopBlock(this.#blocks.get(payload["contentBlockIndex"]), chunks);
        break;
      case "messageStop":
        this.#stopReason = readText(payload["stopReason"]) || this.#stopReason;
        break;
      case "metadata":
        this.#usage = toUsage(payload["usage"]) ?? this.#usage;
        break;
      default:
        // Unknown events are ignored, because the vendor may add kinds of events at any time.
        break;
    }
  }

  /**
   * Appends the last chunks of an answer that has a stop reason but lacks its usage. Throws `TruncatedResponseError` if
   * it has no stop reason.
   */
  end(chunks: ModelChunk[]): void {
    if (this.#stopReason === "") throw new TruncatedResponseError();
    this.#finish(chunks);
  }

  #start({ contentBlockIndex: index, start }: Fields, chunks: ModelChunk[]): void {
    const { toolUse } = readObject(start);
    // Ignores the start of a block that is not a tool call, and a start that was sent twice.
    if (!isGiven(toolUse) || this.#blocks.has(index)) return;
    const { toolUseId, name: given } = readObject(toolUse);
    const name = readText(given);
    if (name === "") {
      this.#blocks.set(index, { kind: "skipped" });
      return;
    }
    const id = readText(toolUseId) || newCallId();
    this.#blocks.set(index, { kind: "call", id, name, json: "", isOpen: true });
    chunks.push({ type: "tool_call_start", toolCall: { id, name } });
  }

  #extend(index: unknown, delta: Fields, chunks: ModelChunk[]): void {
    const { text, toolUse, reasoningContent, citation } = delta;
    if (typeof text === "string") this.#addText(index, text, chunks);
    else if (isGiven(reasoningContent)) this.#addReasoning(index, readObject(reasoningContent), chunks);
    else if (isGiven(toolUse)) this.#addArguments(index, readObject(toolUse)["input"], chunks);
    else for (const source of citedSource(citation)) chunks.push({ type: "source", ...source });
  }

  #addText(index: unknown, text: string, chunks: ModelChunk[]): void {
    const block = this.#blocks.get(index) ?? { kind: "text", text: "" };
    if (block.kind !== "text" || text === "") return;
    this.#blocks.set(index, { ...block, text: block.text + text });
    chunks.push({ type: "text", text });
  }

  #addReasoning(index: unknown, content: Fields, chunks: ModelChunk[]): void {
    const block = this.#blocks.get(index) ?? { kind: "reasoning", text: "", signature: "", redacted: "" };
    if (block.kind !== "reasoning") return;
    const text = readText(content["text"]);
    this.#blocks.set(index, {
      kind: "reasoning",
      text: block.text + text,
      signature: readText(content["signature"]) || block.signature,
      redacted: block.redacted + readText(content["redactedContent"]),
    });
    if (text !== "") chunks.push({ type: "thinking", text });
  }

  #addArguments(index: unknown, input: unknown, chunks: ModelChunk[]): void {
    const block = this.#blocks.get(index);
    if (block === undefined) this.#blocks.set(index, { kind: "skipped" });
    const argumentsDelta = readText(input);
    if (block?.kind !== "call" || !block.isOpen || argumentsDelta === "") return;
    block.json += argumentsDelta;
    chunks.push({ type: "tool_call_delta", toolCallId: block.id, argumentsDelta });
  }

  #finish(chunks: ModelChunk[]): void {
    this.#isComplete = true;
    const blocks = [...this.#blocks.values()];
    for (const block of blocks) endCall(block, chunks);
    const vendorState = toVendorState(blocks.flatMap(toReplay), this.#model);
    const hasCalls = blocks.some(({ kind }) => kind === "call");
    const skippedCalls = blocks.filter(({ kind }) => kind === "skipped").length;
    chunks.push({
      type: "finish",
      finishReason: toFinishReason(this.#stopReason, hasCalls),
      usage: this.#usage ?? noUsage,
      ...(vendorState !== undefined && { vendorState }),
      ...(skippedCalls > 0 && { skippedCalls }),
    });
  }
}

/**
 * Ends a tool call whose arguments have arrived. A call without arguments stays open, because some servers send these
 * events in another order.
 */
function stopBlock(block: Block | undefined, chunks: ModelChunk[]): void {
  if (block?.kind === "call" && block.json !== "") endCall(block, chunks);
}

function endCall(block: Block, chunks: ModelChunk[]): void {
  if (block.kind !== "call" || !block.isOpen) return;
  block.isOpen = false;
  const { id: toolCallId } = block;
  if (block.json === "") chunks.push({ type: "tool_call_delta", toolCallId, argumentsDelta: stringifyArguments({}) });
  chunks.push({ type: "tool_call_end", toolCallId });
}

function toReplay(block: Block): ReplayBlock[] {
  if (block.kind === "text") return [{ text: block.text }];
  if (block.kind === "reasoning") return toReasoning(block.text, block.signature, block.redacted);
  if (block.kind === "skipped") return [];
  const read = parseArguments(block.json);
  return [{ toolUse: { toolUseId: block.id, name: block.name, input: read.ok ? read.value : {} } }];
}

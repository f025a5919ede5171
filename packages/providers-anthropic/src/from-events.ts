import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { TokenUsage } from "@troupe/core";
import { createId, parseArguments, readObject, readObjects, readText } from "@troupe/core/kit";
import { addUsage, TruncatedResponseError, stringifyArguments } from "@troupe/core/provider";
import type { Source } from "@troupe/core";
import type { EventReader, ModelChunk } from "@troupe/core/provider";
import { toVendorError } from "./errors.ts";
import { toReplay, toVendorState } from "./replay.ts";
import { citedSource, sourcesIn } from "./sources.ts";
import { toFinishReason } from "./to-finish-reason.ts";
import { laterUsage, toUsage } from "./to-usage.ts";
import type { WireBlock, WireEvent, WireUsage } from "./wire-types.ts";

type Chunks = readonly ModelChunk[];
/**
 * A block of the answer in a stream. `json`: the arguments of a call so far. `callId`: set for a call of one of our
 * tools.
 */
type OpenBlock = { block: WireBlock; json: string; callId?: string | undefined };

const nothing: Chunks = [];
/** The stop reason of an answer that is continued in a further request. */
const pause = "pause_turn";
/** Largest number of continuations of an answer. */
const mostPauses = 10;

/**
 * Converts the events of one streamed answer to chunks. Collects the blocks as `vendorState`, which the run's next
 * model call sends back.
 */
export class AnthropicEventReader implements EventReader<WireEvent> {
  readonly #model: { providerId: string; modelId: string };
  // Open blocks of the answer by index, in the order in which they started.
  readonly #blocks = new Map<unknown, OpenBlock>();
  /** The blocks and the usage of the answer before the vendor paused it. */
  readonly #earlier: WireBlock[] = [];
  #earlierUsage: TokenUsage | undefined;
  #pauses = 0;
  #skippedCalls = 0;
  #container: string | undefined;
  #answeredBy: { responseId?: string; model?: string } = {};
  #usage: WireUsage = {};
  #stopReason = "";
  #isStopped = false;
  #isComplete = false;

  constructor(model: { providerId: string; modelId: string }) {
    this.#model = model;
  }

  /** True once the end of the answer was read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * True once the stop reason was read, or the last event if it arrived before the stop reason. False for an answer
   * that the vendor paused.
   */
  get isEnding(): boolean {
    return this.#stopReason === "" ? this.#isStopped : this.#stopReason !== pause;
  }

  /** True if the vendor paused the answer and it may be continued. */
  get isPaused(): boolean {
    return this.#stopReason === pause && this.#pauses < mostPauses;
  }

  /** Returns the answer so far, for the request that continues it. The reader then reads the events of that request. */
  resume(): { content: ContentBlockParam[]; container: string | undefined } {
    this.#earlier.push(...this.#blocksSoFar());
    this.#earlierUsage = this.#usageSoFar();
    this.#blocks.clear();
    this.#stopReason = "";
    this.#isStopped = false;
    this.#pauses += 1;
    return { content: this.#earlier.flatMap(toReplay), container: this.#container };
  }

  /** Appends the chunks of one event of Anthropic's answer. Throws if the event is an error. */
  read(event: WireEvent, chunks: ModelChunk[]): void {
    for (const chunk of this.#read(event)) chunks.push(chunk);
  }

  /**
   * Appends the last chunks of an answer that has a stop reason but lacks its last event. Throws
   * `TruncatedResponseError` if it has no stop reason.
   */
  end(chunks: ModelChunk[]): void {
    if (this.#stopReason === "") throw new TruncatedResponseError();
    for (const chunk of this.#finish()) chunks.push(chunk);
  }

  #read(event: WireEvent): Chunks {
    switch (event.type) {
      case "content_block_delta":
        return extend(this.#blocks.get(event.index), readObject(event.delta));
      case "message_start":
        return this.#begin(readObject(event.message));
      case "content_block_start":
        return this.#start(event.index, { ...readObject(event.content_block) });
      case "content_block_stop":
        return stop(this.#blocks.get(event.index));
      case "message_delta":
        this.#readDelta(readObject(event.delta));
        this.#usage = laterUsage(this.#usage, event.usage);
        return nothing;
      case "message_stop":
        return this.#stop();
      case "error":
        throw toVendorError(event);
      default:
        // Unknown events are ignored, because the vendor may add kinds of events at any time.
        return nothing;
    }
  }

  #readDelta({ stop_reason: reason, container }: Readonly<Record<string, unknown>>): void {
    this.#stopReason = readText(reason) || this.#stopReason;
    this.#container = readText(readObject(container)["id"]) || this.#container;
  }

  #begin({ id, model, usage }: Readonly<Record<string, unknown>>): Chunks {
    this.#answeredBy = {
      ...(readText(id) !== "" && { responseId: readText(id) }),
      ...(readText(model) !== "" && { model: readText(model) }),
    };
    this.#usage = readObject(usage);
    return nothing;
  }

  #start(index: unknown, block: WireBlock): Chunks {
    // The start of this block was sent twice.
    if (this.#blocks.has(index)) return nothing;
    const open: OpenBlock = { block, json: "" };
    this.#blocks.set(index, open);
    switch (block.type) {
      case "tool_use":
        if (readText(block["name"]) === "") this.#skippedCalls += 1;
        return startCall(open);
      case "text":
        return textChunk("text", (block["text"] = readText(block["text"])));
      case "thinking":
        block["signature"] = readText(block["signature"]);
        return textChunk("thinking", (block["thinking"] = readText(block["thinking"])));
      default:
        return sourcesIn(block).map(sourceChunk);
    }
  }

  #blocksSoFar(): WireBlock[] {
    return [...this.#blocks.values()].map(({ block }) => block);
  }

  #usageSoFar(): TokenUsage {
    const usage = toUsage(this.#usage);
    return this.#earlierUsage === undefined ? usage : addUsage(this.#earlierUsage, usage);
  }

  /**
   * Reads the last event. The stop reason may still follow, because some servers send these events in another order.
   */
  #stop(): Chunks {
    this.#isStopped = true;
    return this.#stopReason === "" || this.isPaused ? nothing : this.#finish();
  }

  #finish(): Chunks {
    this.#isComplete = true;
    const open = [...this.#blocks.values()].flatMap(endCall);
    const vendorState = toVendorState([...this.#earlier, ...this.#blocksSoFar()], this.#model);
    const finish: ModelChunk = {
      type: "finish",
      finishReason: toFinishReason(this.#stopReason),
      usage: this.#usageSoFar(),
      ...this.#answeredBy,
      ...(vendorState !== undefined && { vendorState }),
      ...(this.#skippedCalls > 0 && { skippedCalls: this.#skippedCalls }),
    };
    return [...open, finish];
  }
}

/** Starts a tool call. A call without a name can neither be executed nor sent back. */
function startCall(open: OpenBlock): Chunks {
  const { block } = open;
  const [id, name] = [readText(block["id"]) || `toolu_${createId().replaceAll("-", "")}`, readText(block["name"])];
  if (name === "") return nothing;
  block["id"] = open.callId = id;
  return [{ type: "tool_call_start", toolCall: { id, name } }];
}

function extend(open: OpenBlock | undefined, delta: Readonly<Record<string, unknown>>): Chunks {
  if (open === undefined) return nothing;
  const { block } = open;
  switch (delta["type"]) {
    case "text_delta":
      return block.type === "text" ? say(block, "text", readText(delta["text"])) : nothing;
    case "thinking_delta":
      return block.type === "thinking" ? say(block, "thinking", readText(delta["thinking"])) : nothing;
    case "signature_delta":
      block["signature"] = readText(delta["signature"]);
      return nothing;
    case "citations_delta":
      return cite(block, readObject(delta["citation"]));
    case "input_json_delta":
      return argue(open, readText(delta["partial_json"]));
    default:
      return nothing;
  }
}

function say(block: WireBlock, type: "text" | "thinking", text: string): Chunks {
  block[type] = `${block[type] as string}${text}`;
  return textChunk(type, text);
}

function cite(block: WireBlock, citation: Readonly<Record<string, unknown>>): Chunks {
  if (block.type !== "text") return nothing;
  block["citations"] = [...readObjects(block["citations"]), citation];
  return citedSource(citation).map(sourceChunk);
}

function sourceChunk(source: Source): ModelChunk {
  return { type: "source", ...source };
}

function argue(open: OpenBlock, argumentsDelta: string): Chunks {
  open.json += argumentsDelta;
  const { callId: toolCallId } = open;
  if (toolCallId === undefined || argumentsDelta === "") return nothing;
  return [{ type: "tool_call_delta", toolCallId, argumentsDelta }];
}

/**
 * Ends a tool call whose arguments have arrived. A call without arguments stays open, because some servers send these
 * events in another order.
 */
function stop(open: OpenBlock | undefined): Chunks {
  if (open === undefined || open.json === "") return nothing;
  const { block, json } = open;
  const read = parseArguments(json);
  block["input"] = read.ok ? read.value : {};
  return endCall(open);
}

function endCall(open: OpenBlock): Chunks {
  const { block, json, callId: toolCallId } = open;
  if (toolCallId === undefined) return nothing;
  open.callId = undefined;
  const end: ModelChunk = { type: "tool_call_end", toolCallId };
  // Without deltas, the arguments of a tool call are the arguments in the start event, usually an empty object.
  if (json !== "") return [end];
  block["input"] ??= {};
  return [{ type: "tool_call_delta", toolCallId, argumentsDelta: stringifyArguments(block["input"]) }, end];
}

function textChunk(type: "text" | "thinking", text: string): Chunks {
  return text === "" ? nothing : [{ type, text }];
}

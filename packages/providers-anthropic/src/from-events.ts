import { parseArguments } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import { toVendorState } from "./replay.ts";
import { toFinishReason } from "./to-finish-reason.ts";
import { laterUsage, toUsage } from "./to-usage.ts";
import { TruncatedResponseError, VendorError } from "./vendor-error.ts";
import type { WireBlock, WireDelta, WireEvent, WireMessage, WireUsage } from "./wire-types.ts";

type Chunks = readonly ModelChunk[];
/** A block of the answer that is being streamed. `json`: the arguments of a call so far. */
type OpenBlock = { block: WireBlock; json: string };
type BlockOf<Type extends WireBlock["type"]> = Extract<WireBlock, { type: Type }>;

const nothing: Chunks = [];

/**
 * Converts the events of one streamed answer to chunks. Collects its blocks as `vendorState`, which the next model call
 * of the run sends back.
 */
export class EventReader {
  readonly #model: { providerId: string; modelId: string };
  readonly #blocks: OpenBlock[] = [];
  #message: Pick<WireMessage, "id" | "model"> | undefined;
  #usage: WireUsage = {};
  #stopReason: string | undefined;
  #isComplete = false;

  constructor(model: { providerId: string; modelId: string }) {
    this.#model = model;
  }

  /** True once the end of the answer was read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Returns the chunks of an event. Throws when the event is an error. */
  read(event: WireEvent): Chunks {
    switch (event.type) {
      case "content_block_delta":
        return this.#extend(this.#blocks[event.index], event.delta);
      case "message_start":
        this.#message = event.message;
        this.#usage = event.message.usage ?? {};
        return nothing;
      case "content_block_start":
        return this.#start(event.index, event.content_block);
      case "content_block_stop":
        return this.#stop(this.#blocks[event.index]);
      case "message_delta":
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
        this.#usage = laterUsage(this.#usage, event.usage);
        return nothing;
      case "message_stop":
        return [this.#finish()];
      case "error":
        throw new VendorError(event);
      default:
        // The vendor may add kinds of events at any time.
        return nothing;
    }
  }

  #start(index: number, block: WireBlock): Chunks {
    this.#blocks[index] = { block, json: "" };
    if (block.type === "tool_use") return [{ type: "tool_call_start", toolCall: { id: block.id, name: block.name } }];
    if (block.type === "text") return textChunk("text", block.text);
    return block.type === "thinking" ? textChunk("thinking", block.thinking) : nothing;
  }

  #extend(open: OpenBlock | undefined, delta: WireDelta): Chunks {
    switch (open?.block.type) {
      case "text":
        return delta.type === "text_delta" ? say(open.block, delta.text) : nothing;
      case "tool_use":
        return delta.type === "input_json_delta" ? argue(open, open.block.id, delta.partial_json) : nothing;
      case "thinking":
        return think(open.block, delta);
      default:
        return nothing;
    }
  }

  #stop(open: OpenBlock | undefined): Chunks {
    if (open?.block.type !== "tool_use") return nothing;
    const { block, json } = open;
    const toolCallId = block.id;
    const end: ModelChunk = { type: "tool_call_end", toolCallId };
    // Without deltas, the arguments are those of the start event, as a rule an empty object.
    if (json === "") return [{ type: "tool_call_delta", toolCallId, argumentsDelta: JSON.stringify(block.input) }, end];
    const read = parseArguments(json);
    block.input = read.ok ? read.value : {};
    return [end];
  }

  #finish(): ModelChunk {
    if (this.#stopReason === undefined) throw new TruncatedResponseError("The answer does not say why it ended.");
    this.#isComplete = true;
    const vendorState = toVendorState(
      this.#blocks.map(({ block }) => block),
      this.#model,
    );
    return {
      type: "finish",
      finishReason: toFinishReason(this.#stopReason),
      usage: toUsage(this.#usage),
      ...(this.#message && { responseId: this.#message.id, model: this.#message.model }),
      ...(vendorState !== undefined && { vendorState }),
    };
  }
}

function say(block: BlockOf<"text">, text: string): Chunks {
  block.text += text;
  return textChunk("text", text);
}

function argue(open: OpenBlock, toolCallId: string, argumentsDelta: string): Chunks {
  open.json += argumentsDelta;
  return argumentsDelta === "" ? nothing : [{ type: "tool_call_delta", toolCallId, argumentsDelta }];
}

function think(block: BlockOf<"thinking">, delta: WireDelta): Chunks {
  if (delta.type === "signature_delta") block.signature += delta.signature;
  if (delta.type !== "thinking_delta") return nothing;
  block.thinking += delta.thinking;
  return textChunk("thinking", delta.thinking);
}

function textChunk(type: "text" | "thinking", text: string): Chunks {
  return text === "" ? nothing : [{ type, text }];
}

import type { FinishReason, StreamChunk, TokenUsage } from "@troupe/core";
import { scriptedChunks } from "@troupe/core/testing";
import type { VendorTurn } from "./dialect.ts";

/** One part of an answer, in the pieces in which it is streamed; those of a call are its arguments as JSON. */
export type TurnBlock =
  | { type: "thinking"; pieces: string[] }
  | { type: "text"; pieces: string[] }
  | { type: "call"; id: string; name: string; pieces: string[] };

/** A call with its arguments as they stand. */
export type CallBlock = Extract<TurnBlock, { type: "call" }>;

/** A turn cut into what vendors make of it: parts in order, and how it ended. */
export type TurnBlocks = {
  blocks: TurnBlock[];
  /** Whether the model reasoned, in words or without. */
  isReasoned: boolean;
  finishReason: FinishReason;
  usage: Required<Omit<TokenUsage, "providerMetrics">>;
};

const noCounts = { reasoningTokens: 0, cachedTokens: 0, audioInputTokens: 0, audioOutputTokens: 0 };

/** Cuts a turn into its parts. */
export function toBlocks(turn: VendorTurn): TurnBlocks {
  const chunks = [...scriptedChunks(turn)];
  const blocks: TurnBlock[] = [];
  for (const chunk of chunks) addTo(blocks, chunk);
  const end = chunks.find((chunk) => chunk.type === "finish");
  return {
    blocks,
    isReasoned: blocks[0]?.type === "thinking" || (typeof turn !== "string" && turn.vendorState !== undefined),
    finishReason: end?.finishReason ?? "stop",
    usage: { ...noCounts, promptTokens: 0, completionTokens: 0, totalTokens: 0, ...end?.usage },
  };
}

function addTo(blocks: TurnBlock[], chunk: StreamChunk): void {
  const last = blocks.at(-1);
  if (chunk.type === "text" || chunk.type === "thinking") {
    if (last?.type === chunk.type) last.pieces.push(chunk.text);
    else blocks.push({ type: chunk.type, pieces: [chunk.text] });
  }
  if (chunk.type === "tool_call_start") blocks.push({ type: "call", ...chunk.toolCall, pieces: [] });
  // The calls of a scripted turn come one after the other.
  if (chunk.type === "tool_call_delta") last?.pieces.push(chunk.argumentsDelta);
}

/** All text, or all thinking, of an answer. */
export function textIn({ blocks }: TurnBlocks, type: "thinking" | "text"): string {
  return blocks.flatMap((block) => (block.type === type ? block.pieces : [])).join("");
}

/** The calls of an answer. */
export function callsIn({ blocks }: TurnBlocks): CallBlock[] {
  return blocks.filter((block) => block.type === "call");
}

/** The arguments of a call for vendors that send an object: those that are none are sent as an empty one. */
export function argumentsOf({ pieces }: TurnBlock): object {
  try {
    const value: unknown = JSON.parse(pieces.join(""));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The turn with an id for each call that has none, since a vendor never gives one twice. */
export function withCallIds(turn: VendorTurn, createId: () => string): VendorTurn {
  if (typeof turn === "string" || turn.toolCalls === undefined) return turn;
  return { ...turn, toolCalls: turn.toolCalls.map((call) => ({ ...call, id: call.id ?? createId() })) };
}

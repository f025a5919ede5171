import type { FinishReason, TokenUsage } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { scriptedChunks } from "@troupe/core/testing";
import type { VendorAnswer } from "./dialect.ts";
import type { HostedCall } from "./hosted-calls.ts";

/** A part of an answer, in the pieces in which it is streamed. The pieces of a call are its arguments as JSON. */
export type AnswerBlock =
  | { type: "thinking"; pieces: string[] }
  | { type: "text"; pieces: string[] }
  | { type: "call"; id: string; name: string; pieces: string[] };

/** A tool call of an answer. */
export type CallBlock = Extract<AnswerBlock, { type: "call" }>;

/** An answer as parts, with its end and usage. */
export type AnswerBlocks = {
  blocks: AnswerBlock[];
  /** Calls of the vendor's own tools, before the text. */
  hosted: readonly HostedCall[];
  /** True if the model reasoned, with or without visible text. */
  isReasoned: boolean;
  finishReason: FinishReason;
  usage: Required<Omit<TokenUsage, "providerMetrics">>;
};

const noCounts = {
  reasoningTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/** Splits an answer into its parts. */
export function toBlocks(answer: VendorAnswer): AnswerBlocks {
  const chunks = [...scriptedChunks(answer)];
  const blocks: AnswerBlock[] = [];
  for (const chunk of chunks) addTo(blocks, chunk);
  const end = chunks.find((chunk) => chunk.type === "finish");
  return {
    blocks,
    hosted: typeof answer === "string" ? [] : (answer.hosted ?? []),
    isReasoned: blocks[0]?.type === "thinking" || (typeof answer !== "string" && answer.vendorState !== undefined),
    finishReason: end?.finishReason ?? "stop",
    usage: { ...noCounts, promptTokens: 0, completionTokens: 0, totalTokens: 0, ...end?.usage },
  };
}

function addTo(blocks: AnswerBlock[], chunk: ModelChunk): void {
  const last = blocks.at(-1);
  if (chunk.type === "text" || chunk.type === "thinking") {
    if (last?.type === chunk.type) last.pieces.push(chunk.text);
    else blocks.push({ type: chunk.type, pieces: [chunk.text] });
  }
  if (chunk.type === "tool_call_start") blocks.push({ type: "call", ...chunk.toolCall, pieces: [] });
  // The calls of a scripted answer do not overlap.
  if (chunk.type === "tool_call_delta") last?.pieces.push(chunk.argumentsDelta);
}

/** Returns all text, or all thinking, of an answer. */
export function textIn({ blocks }: AnswerBlocks, type: "thinking" | "text"): string {
  return blocks.flatMap((block) => (block.type === type ? block.pieces : [])).join("");
}

/** Returns the tool calls of an answer. */
export function callsIn({ blocks }: AnswerBlocks): CallBlock[] {
  return blocks.filter((block) => block.type === "call");
}

/** Returns the arguments of a call as an object. Empty if they are not a JSON object. */
export function argumentsOf({ pieces }: AnswerBlock): object {
  try {
    const value: unknown = JSON.parse(pieces.join(""));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Adds an id to each call without one, because a vendor never repeats an id. */
export function withCallIds(answer: VendorAnswer, createId: () => string): VendorAnswer {
  if (typeof answer === "string" || answer.toolCalls === undefined) return answer;
  return { ...answer, toolCalls: answer.toolCalls.map((call) => ({ ...call, id: call.id ?? createId() })) };
}

import type { FinishReason } from "@troupe/core";
import { getOwn, sumCounts, readObjects } from "@troupe/core/kit";
import { noUsage, readUsage } from "@troupe/core/provider";
import type { ModelFinish } from "@troupe/core/provider";
import type { WireUsage } from "./wire-types.ts";

/** The end of an answer, as Gemini sends it. */
type WireEnd = { reason: string; hasCalls: boolean; usage: unknown };

/**
 * Converts the finish reason and token counts of a Gemini answer to its finish chunk. `STOP` after tool calls becomes
 * `tool_calls`; an unknown reason becomes `other`.
 */
export function toFinish({ reason, hasCalls, usage }: WireEnd): ModelFinish {
  return {
    type: "finish",
    finishReason: toFinishReason(reason, hasCalls),
    usage: readUsage(usage, toCounts) ?? noUsage,
  };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  MALFORMED_FUNCTION_CALL: "error",
  MALFORMED_RESPONSE: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
};

/** Converts Gemini's finish reason. Gemini has no finish reason for tool calls and sends STOP. */
function toFinishReason(reason: string, hasCalls: boolean): FinishReason {
  if (reason === "STOP" && hasCalls) return "tool_calls";
  if (reason.startsWith("IMAGE_")) return "content_filter";
  return getOwn(finishReasons, reason) ?? "other";
}

/**
 * Converts Gemini's token counts. Adds the tokens that it counts separately: thoughts to the output, results of its own
 * tools to the input.
 */
function toCounts(usage: WireUsage) {
  return {
    promptTokens: sumCounts(usage["promptTokenCount"], usage["toolUsePromptTokenCount"]),
    completionTokens: sumCounts(usage["candidatesTokenCount"], usage["thoughtsTokenCount"]),
    totalTokens: usage["totalTokenCount"],
    reasoningTokens: usage["thoughtsTokenCount"],
    cachedTokens: usage["cachedContentTokenCount"],
    audioInputTokens: audioIn(usage["promptTokensDetails"]),
    audioOutputTokens: audioIn(usage["candidatesTokensDetails"]),
  };
}

function audioIn(details: unknown): unknown {
  return readObjects(details).find(({ modality }) => modality === "AUDIO")?.["tokenCount"];
}

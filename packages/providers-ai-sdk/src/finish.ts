import type { FinishReason, TokenUsage } from "@troupe/core";
import { getOwn, readObject, readText } from "@troupe/core/kit";
import { readUsage, TruncatedResponseError } from "@troupe/core/provider";

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "error",
};

/**
 * Converts a finish reason of the AI SDK. Throws `TruncatedResponseError` for the reasons that its packages report
 * for a truncated stream: "interrupted", or "other" without the vendor's own reason.
 */
export function toFinishReason(reason: unknown, hasCalls: boolean): FinishReason {
  const { unified, raw } = readObject(reason);
  const word = readText(unified);
  const isCut = word === "interrupted" || ((word === "other" || word === "") && raw === undefined);
  if (isCut) throw new TruncatedResponseError();
  const finish = getOwn(reasons, word) ?? "other";
  return hasCalls && finish === "stop" ? "tool_calls" : finish;
}

/** Converts the usage of the AI SDK. Keeps the vendor's own object as `providerMetrics`. */
export function toUsage(usage: unknown): TokenUsage | undefined {
  const { inputTokens, outputTokens, raw } = readObject(usage);
  const [input, output] = [readObject(inputTokens), readObject(outputTokens)];
  if (input["total"] === undefined && output["total"] === undefined) return undefined;
  return readUsage(Object.keys(readObject(raw)).length > 0 ? raw : usage, () => ({
    promptTokens: input["total"],
    completionTokens: output["total"],
    cachedTokens: input["cacheRead"],
    cacheWriteTokens: input["cacheWrite"],
    reasoningTokens: output["reasoning"],
  }));
}

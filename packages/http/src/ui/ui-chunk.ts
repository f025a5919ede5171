import type { TokenUsage } from "@troupe/core";

/** A chunk of the AI SDK's UI message stream. Its optional fields are left out, and never null: the SDK refuses that. */
export type UiChunk = { readonly type: string; readonly [field: string]: unknown };

/** Kinds of artifacts whose data is a file. */
const fileKinds: readonly string[] = ["image", "audio", "video", "file"];

/**
 * Returns a JSON value as the AI SDK reads it. Its parser refuses a whole stream for one object with a key by which a prototype
 * could be changed: such a value is returned as its JSON text.
 */
export function toClientJson(value: unknown): unknown {
  const json = JSON.stringify(value) ?? "null";
  return /__proto__|constructor/.test(json) && hasForbiddenKey(value) ? json : value;
}

function hasForbiddenKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.hasOwn(value, "__proto__")) return true;
  const { constructor: own } = value as { constructor?: unknown };
  if (Object.hasOwn(value, "constructor") && typeof own === "object" && own !== null && Object.hasOwn(own, "prototype"))
    return true;
  return Object.values(value).some(hasForbiddenKey);
}

/** Returns the result of a tool as its output: that of a tool which returns an object or an array is its JSON, as the model got it. */
export function toUiOutput(result: unknown): unknown {
  if (typeof result !== "string" || !/^[[{]/.test(result)) return toClientJson(result ?? null);
  try {
    return toClientJson(JSON.parse(result));
  } catch {
    return result;
  }
}

type OwnedArtifact = { type: string; data: unknown; mimeType?: string; toolCallId: string; toolName: string };

/** Makes the chunk of an artifact: a file, or data of the page's own. */
export function toArtifactChunk(artifact: OwnedArtifact): UiChunk {
  const { type, data, mimeType } = artifact;
  if (mimeType === undefined || typeof data !== "string" || !fileKinds.includes(type))
    return { type: "data-artifact", data: toClientJson(artifact) };
  const url = /^(?:data|https?):/i.test(data) ? data : `data:${mimeType};base64,${data}`;
  return { type: "file", mediaType: mimeType, url };
}

/** Returns usage under the names that the AI SDK gives to it. */
export function toUiUsage(usage: TokenUsage): Record<string, number> {
  const { promptTokens, completionTokens, totalTokens, reasoningTokens, cachedTokens } = usage;
  return {
    inputTokens: promptTokens,
    outputTokens: completionTokens,
    totalTokens,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedTokens !== undefined && { cachedInputTokens: cachedTokens }),
  };
}

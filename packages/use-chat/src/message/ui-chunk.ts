import type { StreamChunk, TokenUsage } from "@troupe/core";

/** A chunk of the AI SDK's UI message stream. Optional fields are absent and never null, which the SDK rejects. */
export type UiChunk = { readonly type: string; readonly [field: string]: unknown };

type FinishReason = Extract<StreamChunk, { type: "finish" }>["finishReason"];

/** Names of the AI SDK for the reasons why an answer ends. */
const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
  error: "error",
};

/** Kinds of artifacts whose data is a file. */
const fileKinds: readonly string[] = ["image", "audio", "video", "file"];

/**
 * Returns a JSON value in a form that the AI SDK accepts. Its parser rejects a whole stream if an object has a key such
 * as `__proto__`. A value with such a key is returned as JSON text.
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

/**
 * Returns a tool result as the output in a chunk. Text that is JSON of an object or array is parsed; other text stays.
 */
export function toUiOutput(result: unknown): unknown {
  if (typeof result !== "string" || !/^[[{]/.test(result)) return toClientJson(result ?? null);
  try {
    return toClientJson(JSON.parse(result));
  } catch {
    return result;
  }
}

type OwnedArtifact = { type: string; data: unknown; mimeType?: string; toolCallId: string; toolName: string };

/** Makes the chunk of an artifact: a file, or data for the page. */
export function toArtifactChunk(artifact: OwnedArtifact): UiChunk {
  const { type, data, mimeType } = artifact;
  if (mimeType === undefined || typeof data !== "string" || !fileKinds.includes(type))
    return { type: "data-artifact", data: toClientJson(artifact) };
  const url = /^(?:data|https?):/i.test(data) ? data : `data:${mimeType};base64,${data}`;
  return { type: "file", mediaType: mimeType, url };
}

/** A source of the answer, as the run reports it. */
export type SourceChunk = Extract<StreamChunk, { type: "source" }>;

/** Makes the chunk of a source: the address of a page, or a document. */
export function toSourceChunk({ id, url, title, place, passage }: SourceChunk): UiChunk {
  const found = { ...(place !== undefined && { place }), ...(passage !== undefined && { passage }) };
  const source = {
    sourceId: id,
    ...(title !== undefined && { title }),
    ...(Object.keys(found).length > 0 && { providerMetadata: { troupe: found } }),
  };
  if (url !== undefined) return { type: "source-url", ...source, url };
  return { type: "source-document", ...source, mediaType: "text/plain", title: title ?? id };
}

/** Makes the chunk that ends the message of a completed run. */
export function toFinishChunk(finishReason: FinishReason = "stop", usage?: TokenUsage): UiChunk {
  return {
    type: "finish",
    finishReason: finishReasons[finishReason] ?? "other",
    ...(usage !== undefined && { messageMetadata: { usage: toUiUsage(usage) } }),
  };
}

/** Returns usage with the AI SDK's field names. */
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

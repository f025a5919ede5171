import type { Part } from "@google/genai/web";

/** Token counts. Every event of a stream repeats them, as of that event. */
export type WireUsage = {
  promptTokenCount?: number;
  toolUsePromptTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
  totalTokenCount?: number;
  cachedContentTokenCount?: number;
  promptTokensDetails?: WireModality[];
  candidatesTokensDetails?: WireModality[];
};

/** The number of tokens of one modality. */
export type WireModality = { modality?: string; tokenCount?: number };

/** An answer, or one event of a streamed one. Any field may be missing. */
export type WireAnswer = {
  candidates?: { content?: { parts?: Part[] }; finishReason?: string }[];
  /** The reason for a refused request. */
  promptFeedback?: { blockReason?: string };
  usageMetadata?: WireUsage;
  responseId?: string;
  modelVersion?: string;
  error?: WireError;
};

/** An error, in place of an answer or within one. */
export type WireError = {
  code?: unknown;
  message?: unknown;
  status?: unknown;
  details?: unknown;
};

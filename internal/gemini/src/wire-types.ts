import type { Part } from "@google/genai/web";

/** The token counts (`usageMetadata`) as Gemini sends them. Every event of a stream repeats them, as of that event. */
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

/** The number of tokens of one modality, such as `AUDIO`, within the input or the answer. */
export type WireModality = { modality?: string; tokenCount?: number };

/**
 * The JSON of a Gemini answer, or of one event of a streamed one, with the fields that are read. Any may be missing.
 */
export type WireAnswer = {
  candidates?: { index?: number; content?: { parts?: Part[] }; finishReason?: string }[];
  /** The reason for a refused request. */
  promptFeedback?: { blockReason?: string };
  usageMetadata?: WireUsage;
  responseId?: string;
  modelVersion?: string;
  error?: WireError;
};

/**
 * The error object in Gemini's JSON, in place of an answer or within one. Any field may be missing or of another type.
 */
export type WireError = {
  code?: unknown;
  message?: unknown;
  status?: unknown;
  details?: unknown;
};

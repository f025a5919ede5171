import type { Part } from "@google/genai/web";

/** What Gemini counts; every part of a stream repeats it, as of then. */
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

/** How many tokens were of one kind. */
export type WireModality = { modality?: string; tokenCount?: number };

/** An answer, or one piece of a streamed one. Any of it may be missing. */
export type WireAnswer = {
  candidates?: { content?: { parts?: Part[] }; finishReason?: string }[];
  /** Why there is no answer at all. */
  promptFeedback?: { blockReason?: string };
  usageMetadata?: WireUsage;
  responseId?: string;
  modelVersion?: string;
  error?: WireError;
};

/** A failure, in place of an answer or within one. */
export type WireError = {
  code?: unknown;
  message?: unknown;
  status?: unknown;
  details?: unknown;
};

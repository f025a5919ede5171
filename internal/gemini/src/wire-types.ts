/** The token counts (`usageMetadata`) as Gemini sends them. Every event of a stream repeats them, as of that event. */
export type WireUsage = Readonly<Record<string, unknown>>;

/**
 * The JSON of a Gemini answer, or of one event of a streamed one, with the fields that are read. Any may be missing or of
 * another type.
 */
export type WireAnswer = {
  candidates?: unknown;
  /** The reason for a refused request. */
  promptFeedback?: unknown;
  usageMetadata?: unknown;
  responseId?: unknown;
  modelVersion?: unknown;
  error?: unknown;
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

/**
 * The token counts (`usageMetadata`) in Gemini's format. Every event of a stream contains the counts up to that event.
 */
export type WireUsage = Readonly<Record<string, unknown>>;

/**
 * The JSON of a Gemini answer, or of an event of a streamed answer, with the fields that are read. Any field may be
 * missing or of another type.
 */
export type WireAnswer = {
  candidates?: unknown;
  /** Gemini's reason for refusing a request. */
  promptFeedback?: unknown;
  usageMetadata?: unknown;
  responseId?: unknown;
  modelVersion?: unknown;
  error?: unknown;
};

/**
 * The error object in Gemini's JSON, instead of an answer or within an answer. Any field may be missing or of another
 * type.
 */
export type WireError = {
  code?: unknown;
  message?: unknown;
  status?: unknown;
  details?: unknown;
};

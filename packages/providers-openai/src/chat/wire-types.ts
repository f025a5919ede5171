/**
 * A tool call in an answer or delta of Chat Completions, with the fields that are read. Servers omit or repeat any of
 * them.
 */
export type WireCall = {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown } | null;
};

/** The content of a message in an answer: a string, or with some servers an array of parts. */
export type WireContent = string | { type?: string; text?: string }[] | null;

/** The message of an answer that was not streamed, or its delta in a stream, with the fields that are read. */
export type WireMessage = {
  content?: WireContent;
  refusal?: string | null;
  tool_calls?: WireCall[] | null;
  /** Thinking has two names, and some servers repeat it in a format of their own. */
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_details?: unknown[] | null;
};

/** The token counts of a Chat Completions answer, with the fields that are read. */
export type ChatUsage = {
  prompt_tokens?: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number; audio_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number; audio_tokens?: number } | null;
  prompt_cache_hit_tokens?: number;
};

/** A choice of an answer or delta, with the fields that are read. */
export type WireChoice = {
  index?: number | null;
  delta?: WireMessage | null;
  message?: WireMessage | null;
  finish_reason?: string | null;
  error?: unknown;
};

/** The JSON of a Chat Completions answer, or of one event of a streamed one, with the fields that are read. */
export type WireCompletion = {
  id?: string | null;
  model?: string | null;
  choices?: WireChoice[] | null;
  usage?: ChatUsage | null;
  x_groq?: { usage?: ChatUsage | null } | null;
  object?: string;
  message?: unknown;
  error?: unknown;
};

/** The used fields of a call or delta. Servers omit or repeat any of them. */
export type WireCall = {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown } | null;
};

/** The content of a message: a string, or with some servers an array of parts. */
export type WireContent = string | { type?: string; text?: string }[] | null;

/** The used fields of a message or delta. */
export type WireMessage = {
  content?: WireContent;
  refusal?: string | null;
  tool_calls?: WireCall[] | null;
  /** Thinking has two names, and some servers repeat it in a format of their own. */
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_details?: unknown[] | null;
};

/** The used token counts. */
export type ChatUsage = {
  prompt_tokens?: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number; audio_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number; audio_tokens?: number } | null;
  prompt_cache_hit_tokens?: number;
};

/** The used fields of the one choice of an answer. */
export type WireChoice = {
  delta?: WireMessage | null;
  message?: WireMessage | null;
  finish_reason?: string | null;
  error?: unknown;
};

/** The used fields of an answer or delta. */
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

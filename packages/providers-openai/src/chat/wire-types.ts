/** The fields read of a call, or of a piece of one. Servers leave out or repeat any of them. */
export type WireCall = {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown } | null;
};

/** What a message holds: text, or with some servers a list of parts. */
export type WireContent = string | { type?: string; text?: string }[] | null;

/** The fields read of a message, or of a piece of one. */
export type WireMessage = {
  content?: WireContent;
  refusal?: string | null;
  tool_calls?: WireCall[] | null;
  /** Thinking has two names, and some servers give it a second time in a form of their own. */
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_details?: unknown[] | null;
};

/** The fields read of the count of tokens. */
export type ChatUsage = {
  prompt_tokens?: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number; audio_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number; audio_tokens?: number } | null;
  prompt_cache_hit_tokens?: number;
};

/** The fields read of one of an answer's alternatives, of which there is one. */
export type WireChoice = {
  delta?: WireMessage | null;
  message?: WireMessage | null;
  finish_reason?: string | null;
  error?: unknown;
};

/** The fields read of an answer, or of a piece of one. */
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

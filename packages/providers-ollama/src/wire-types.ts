/** A tool call in the history of a request to Ollama. */
type WireHistoryCall = { id: string; function: { name: string; arguments: Record<string, unknown> } };

/**
 * A message of a conversation in a request to Ollama. The library's type lacks the ids of tool calls, which newer
 * servers support.
 */
export type WireMessage = {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  thinking?: string;
  images?: string[];
  tool_calls?: WireHistoryCall[];
  tool_name?: string;
  tool_call_id?: string;
};

/** The declaration of a tool in a request to Ollama. */
export type WireTool = {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
};

/**
 * Sampling settings and token limits of a request to Ollama. `num_predict`: tokens of the answer; `num_ctx`: the
 * context length in tokens.
 */
export type WireSettings = {
  temperature?: number;
  top_p?: number;
  stop?: string[];
  seed?: number;
  num_predict?: number;
  num_ctx?: number;
};

/** The body of a chat request to Ollama. */
export type WireRequest = {
  model: string;
  messages: WireMessage[];
  tools?: WireTool[];
  format?: "json" | Record<string, unknown>;
  think?: boolean | "low" | "medium" | "high";
  options?: WireSettings;
};

/** The body of a request to Ollama for embeddings. `truncate: false` turns too long a text into an error. */
export type WireEmbedRequest = { model: string; input: string[]; truncate: false; dimensions?: number };

/** A tool call in an answer of Ollama. Older and compatible servers omit fields or send `null`. */
export type WireAnswerCall = { id?: unknown; function?: unknown };

/**
 * A line of Ollama's streamed answer, with the fields that are read. Any field may be missing or of another type. The
 * last line has `done` and the server's token counts and durations.
 */
export type WireLine = {
  model?: unknown;
  created_at?: unknown;
  message?: unknown;
  done?: unknown;
  done_reason?: unknown;
  prompt_eval_count?: unknown;
  eval_count?: unknown;
  error?: unknown;
};

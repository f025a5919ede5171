/** A tool call in the history. */
type WireHistoryCall = { id: string; function: { name: string; arguments: Record<string, unknown> } };

/**
 * A message of a conversation, as a request sends it. The library's type lacks the ids of tool calls, which newer
 * servers know.
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

/** The declaration of a tool that the model may call, as a request sends it. */
export type WireTool = {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
};

/**
 * Sampling settings and token limits of a request. `num_predict`: tokens of the answer; `num_ctx`: the context length
 * in tokens.
 */
export type WireSettings = {
  temperature?: number;
  top_p?: number;
  stop?: string[];
  seed?: number;
  num_predict?: number;
  num_ctx?: number;
};

/** The body of a chat request to the server. */
export type WireRequest = {
  model: string;
  messages: WireMessage[];
  tools?: WireTool[];
  format?: "json" | Record<string, unknown>;
  think?: boolean | "low" | "medium" | "high";
  options?: WireSettings;
};

/** The body of a request for embeddings. `truncate: false` makes a text that is too long an error. */
export type WireEmbedRequest = { model: string; input: string[]; truncate: false; dimensions?: number };

/** A tool call in an answer. Older and compatible servers omit fields or send `null`. */
export type WireAnswerCall = { id?: unknown; function?: unknown };

/**
 * One line of a streamed answer, with the fields that are read. Any may be missing or of another type. The last one is
 * `done` and also has the token counts and durations of the server.
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

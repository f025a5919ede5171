/** A tool call in the history. */
type WireCall = { id: string; function: { name: string; arguments: Record<string, unknown> } };

/** A message of a conversation. The library's type lacks the ids of calls, which newer servers know. */
export type WireMessage = {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  thinking?: string;
  images?: string[];
  tool_calls?: WireCall[];
  tool_name?: string;
  tool_call_id?: string;
};

/** A tool that the model may call. */
export type WireTool = {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
};

/** Sampling settings and token limits. */
export type WireSettings = {
  temperature?: number;
  top_p?: number;
  stop?: string[];
  num_predict?: number;
  num_ctx?: number;
};

/** The body of a request. */
export type WireRequest = {
  model: string;
  messages: WireMessage[];
  tools?: WireTool[];
  format?: "json" | Record<string, unknown>;
  think?: boolean | "low" | "medium" | "high";
  options?: WireSettings;
};

/** A received call. Older and compatible servers omit fields or send `null`. */
export type ToldCall = { id?: string | null; function: { name: string; arguments?: Record<string, unknown> | null } };

/** One line of an answer. The last one is `done` and also has the measurements of the server. */
export type WireLine = {
  model?: string;
  created_at?: string;
  message?: {
    content?: string | null;
    thinking?: string | null;
    tool_calls?: ToldCall[] | null;
  };
  done?: boolean;
  done_reason?: string | null;
  prompt_eval_count?: number | null;
  eval_count?: number | null;
  error?: unknown;
};

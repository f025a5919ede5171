/** A call of a tool, as it is sent back. */
type WireCall = { id: string; function: { name: string; arguments: Record<string, unknown> } };

/** A message of a conversation. The library's own type lacks the ids of calls, which the server has come to know. */
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

/** How the model picks its words, and how much it reads and writes. */
export type WireSettings = {
  temperature?: number;
  top_p?: number;
  stop?: string[];
  num_predict?: number;
  num_ctx?: number;
};

/** What is asked of the server. */
export type WireRequest = {
  model: string;
  messages: WireMessage[];
  tools?: WireTool[];
  format?: "json" | Record<string, unknown>;
  think?: boolean | "low" | "medium" | "high";
  options?: WireSettings;
};

/** A call as it comes: elder servers, and others that speak as they do, leave things out or say `null`. */
export type ToldCall = { id?: string | null; function: { name: string; arguments?: Record<string, unknown> | null } };

/** One line of an answer. The last is `done`, and says beside what is read here what the server has measured. */
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

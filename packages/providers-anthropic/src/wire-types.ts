/** The token counts (`usage`) as Anthropic sends them. Later events of a stream have only the changed ones. */
export type WireUsage = {
  input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  output_tokens?: number | null;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
};

/** A content block of an answer, of the types that are read or sent back. `unknown` stands for all others, which are ignored. */
export type WireBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: unknown; caller?: unknown }
  | { type: "unknown" };

/** The JSON of an answer that was not streamed, with the fields that are read. */
export type WireMessage = {
  type: "message";
  id: string;
  model: string;
  content: WireBlock[];
  stop_reason: string | null;
  usage?: WireUsage;
};

/** A piece of a content block, which one event of a stream adds to it. */
export type WireDelta =
  | { type: "text_delta"; text: string }
  | { type: "thinking_delta"; thinking: string }
  | { type: "signature_delta"; signature: string }
  | { type: "input_json_delta"; partial_json: string };

/** The error object in Anthropic's JSON, in place of an answer or as an event of its stream. */
export type WireFailure = { type: "error"; error?: { type?: string; message?: string } };

/** One event of a streamed answer, of the types that are read. Others are ignored. */
export type WireEvent =
  | { type: "message_start"; message: Pick<WireMessage, "id" | "model" | "usage"> }
  | { type: "content_block_start"; index: number; content_block: WireBlock }
  | { type: "content_block_delta"; index: number; delta: WireDelta }
  | { type: "content_block_stop"; index: number }
  | { type: "message_delta"; delta: { stop_reason?: string | null }; usage?: WireUsage }
  | { type: "message_stop" }
  | WireFailure;

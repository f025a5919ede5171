import type { WireError } from "../vendor-error.ts";

/**
 * An item of a Responses answer (message, reasoning, tool call), with the fields that are read. It is sent back
 * unchanged.
 */
export type OutputItem = {
  type?: string;
  id?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  phase?: string | null;
  encrypted_content?: string | null;
  content?: { type?: string; text?: string; refusal?: string }[] | null;
  summary?: { text?: string }[];
};

/** The token counts of a Responses answer, with the fields that are read. */
export type ResponseUsage = {
  input_tokens?: number;
  output_tokens?: number;
  total_tokens?: number;
  input_tokens_details?: { cached_tokens?: number } | null;
  output_tokens_details?: { reasoning_tokens?: number } | null;
};

/** The JSON of a Responses answer, with the fields that are read. */
export type WireResponse = {
  id?: string;
  model?: string;
  status?: string;
  error?: WireError | null;
  incomplete_details?: { reason?: string } | null;
  output?: OutputItem[];
  usage?: ResponseUsage | null;
};

/** One event of a streamed Responses answer, with the fields that are read. */
export type ResponseEvent = WireError & {
  type?: string;
  output_index?: number;
  delta?: string;
  arguments?: string;
  item?: OutputItem;
  response?: WireResponse;
  error?: WireError;
};

import type { WireError } from "../errors.ts";

/**
 * An item of a Responses answer (message, reasoning, tool call, call of the vendor's own tool), with the fields that
 * are read. Any field may be missing or of another type. All fields are sent back, unchanged except for an invalid tool
 * name.
 */
export type OutputItem = {
  type?: string;
  id?: unknown;
  call_id?: unknown;
  name?: unknown;
  arguments?: unknown;
  phase?: unknown;
  encrypted_content?: unknown;
  content?: unknown;
  summary?: unknown;
  action?: unknown;
  results?: unknown;
};

/** The JSON of a Responses answer, with the fields that are read. */
export type WireResponse = {
  id?: unknown;
  model?: unknown;
  status?: unknown;
  error?: unknown;
  incomplete_details?: unknown;
  output?: unknown;
  usage?: unknown;
};

/**
 * An event of a streamed Responses answer, with the fields that are read. Any field may be missing or of another type.
 */
export type ResponseEvent = WireError & {
  output_index?: unknown;
  item_id?: unknown;
  delta?: unknown;
  item?: unknown;
  annotation?: unknown;
  response?: unknown;
  error?: unknown;
};

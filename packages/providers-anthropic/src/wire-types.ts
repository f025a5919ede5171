/** The token counts (`usage`) in Anthropic's format. Later events of a stream have only the changed counts. */
export type WireUsage = Readonly<Record<string, unknown>>;

/** A content block of an answer. Only the fields that are read are checked; the others are sent back unchanged. */
export type WireBlock = { type?: unknown; [field: string]: unknown };

/**
 * The JSON of an unstreamed answer, with the fields that are read. Any field may be missing or of another type, here
 * and in the events.
 */
export type WireMessage = {
  type?: unknown;
  id?: unknown;
  model?: unknown;
  content?: unknown;
  stop_reason?: unknown;
  usage?: unknown;
  container?: unknown;
  error?: unknown;
};

/** The error object in Anthropic's JSON, instead of an answer or as an event of its stream. */
type WireFailure = { error?: unknown };

/** An event of a streamed answer, with the fields that are read. Events of other types are ignored. */
export type WireEvent = WireFailure & {
  type?: unknown;
  index?: unknown;
  message?: unknown;
  content_block?: unknown;
  delta?: unknown;
  usage?: unknown;
};

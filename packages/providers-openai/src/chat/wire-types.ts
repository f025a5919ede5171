/**
 * A tool call in an answer or delta of Chat Completions, with the fields that are read. Servers may omit or repeat any
 * of them.
 */
export type WireCall = { index?: unknown; id?: unknown; function?: unknown };

/**
 * The message of an unstreamed answer, or a delta of a stream, with the fields that are read. Any field may be missing
 * or of another type.
 */
export type WireMessage = {
  content?: unknown;
  refusal?: unknown;
  tool_calls?: unknown;
  /**
   * Thinking may have either of two field names, and some servers repeat it in a third field with a format of their
   * own.
   */
  reasoning_content?: unknown;
  reasoning?: unknown;
  reasoning_details?: unknown;
  /** Citations of OpenAI's search models, and of gateways. */
  annotations?: unknown;
  /** Citations of some servers: addresses, or objects with an address. */
  citations?: unknown;
};

/** A choice of an answer or delta, with the fields that are read. */
export type WireChoice = {
  index?: unknown;
  delta?: unknown;
  message?: unknown;
  finish_reason?: unknown;
  error?: unknown;
};

/** The JSON of a Chat Completions answer, or of an event of a streamed answer, with the fields that are read. */
export type WireCompletion = {
  id?: unknown;
  model?: unknown;
  choices?: unknown;
  usage?: unknown;
  x_groq?: unknown;
  /** The sources of an answer, as listed by servers that search the web. */
  citations?: unknown;
  search_results?: unknown;
  object?: unknown;
  message?: unknown;
  error?: unknown;
};

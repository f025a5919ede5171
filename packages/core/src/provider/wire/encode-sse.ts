import { TroupeError } from "../../base/errors/troupe-error.ts";

/** Fields of one server-sent event, for `encodeSse`. */
export interface SseFields {
  /** Sent back by a reader that reconnects, as the id of the last event that it received. */
  id?: string | number;
  event?: string;
  /** Any string. Each of its line breaks arrives as a line feed. */
  data: string;
}

const lineBreak = /\r\n|\r|\n/;
const allLineBreaks = /\r\n|\r|\n/g;

/**
 * Encodes one server-sent event as a string for a transport to write. `data` cannot end the event or begin another
 * event; throws `invalid_value` for an `id` or `event` that could.
 */
export function encodeSse({ id, event, data }: SseFields): string {
  const head = (id === undefined ? "" : field("id", String(id))) + (event === undefined ? "" : field("event", event));
  return `${head}data: ${lineBreak.test(data) ? data.replace(allLineBreaks, "\ndata: ") : data}\n\n`;
}

/** Encodes a comment in a stream of server-sent events. Readers ignore it; it keeps the connection alive. */
export function encodeSseComment(text: string): string {
  return `: ${text.replace(allLineBreaks, "\n: ")}\n\n`;
}

function field(name: string, value: string): string {
  if (!/[\r\n\0]/.test(value)) return `${name}: ${value}\n`;
  throw new TroupeError(
    "invalid_value",
    `The ${name} of a server-sent event must not hold a line break or NUL. Put such text in data.`,
    {
      fields: { field: name },
    },
  );
}

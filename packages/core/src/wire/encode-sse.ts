import { TroupeError } from "../errors/troupe-error.ts";

/** What one server-sent event is made of. */
export interface SseFields {
  /** What a reader that connects again names as the last event it has seen. */
  id?: string | number;
  event?: string;
  /** Any text. Its line breaks arrive as `\n`, whichever they were. */
  data: string;
}

const lineBreak = /\r\n|\r|\n/;
const allLineBreaks = /\r\n|\r|\n/g;

/** Writes one server-sent event. No `data` can end the event or begin another; an `id` or `event` that could is `invalid_value`. */
export function encodeSse({ id, event, data }: SseFields): string {
  const head = (id === undefined ? "" : field("id", String(id))) + (event === undefined ? "" : field("event", event));
  return `${head}data: ${lineBreak.test(data) ? data.replace(allLineBreaks, "\ndata: ") : data}\n\n`;
}

/** Writes a comment, which readers ignore: it shows that the connection lives. */
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

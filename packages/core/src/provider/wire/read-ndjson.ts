import { abortableIterable, abortedReadError } from "../../base/async/abortable-iterable.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ByteLines, readMaxEventBytes } from "./byte-lines.ts";
import type { EventReadOptions } from "./byte-lines.ts";

/**
 * Reads NDJSON from chunks of bytes. Blank lines are skipped, and the last line needs no newline. Leaving the loop
 * early releases the source. Throws `invalid_value` for a line that is not JSON or is larger than `maxEventBytes`, and
 * `cancelled` if the signal aborts. Errors of the source are passed on.
 *
 * @yields the value of each line
 */
export async function* readNdjson(
  bytes: AsyncIterable<Uint8Array>,
  { signal, ...limits }: EventReadOptions = {},
): AsyncGenerator<unknown, void, undefined> {
  const room = readMaxEventBytes(limits);
  const lines = new ByteLines("line-feed");
  for await (const chunk of abortableIterable(bytes, signal)) {
    lines.feed(chunk);
    while (lines.next(room)) {
      if (signal?.aborted) throw abortedReadError(signal);
      const text = readText(lines);
      if (text !== "") yield parse(text);
    }
  }
  const text = lines.last() ? readText(lines) : "";
  if (text !== "") yield parse(text);
}

function readText({ bytes, start, end }: ByteLines): string {
  return bytes.toString("utf8", start, end).trim();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error is thrown without the parser's error as its cause, because the parser's message quotes the line.
    throw new TroupeError(
      "invalid_value",
      "A line of the stream is not JSON. Each line must hold one whole JSON value.",
    );
  }
}

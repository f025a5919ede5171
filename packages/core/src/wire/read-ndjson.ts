import { abortableIterable, abortedReading } from "../async/abortable-iterable.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { ByteLines } from "./byte-lines.ts";
import { positiveInteger } from "./positive-integer.ts";
import { defaultMaxEventBytes } from "./read-options.ts";
import type { ReadOptions } from "./read-options.ts";

/**
 * Reads NDJSON from bytes, however they are cut: blank lines are skipped, and the last line needs no newline. Leaving the loop early frees the source. A line that is not JSON or larger than `maxEventBytes` is
 * `invalid_value`, an aborted signal `cancelled`; errors of the source come through as they are.
 *
 * @yields the value of each line
 */
export async function* readNdjson(
  bytes: AsyncIterable<Uint8Array>,
  { signal, maxEventBytes = defaultMaxEventBytes }: ReadOptions = {},
): AsyncGenerator<unknown, void, undefined> {
  const room = positiveInteger("maxEventBytes", maxEventBytes);
  const lines = new ByteLines("line-feed");
  for await (const chunk of abortableIterable(bytes, signal)) {
    lines.feed(chunk);
    while (lines.next(room)) {
      if (signal?.aborted) throw abortedReading(signal);
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
    // Without the parser's error as cause: its message quotes the line.
    throw new TroupeError(
      "invalid_value",
      "A line of the stream is not JSON: each line must hold one whole JSON value.",
    );
  }
}

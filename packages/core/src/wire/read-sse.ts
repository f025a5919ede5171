import { abortableIterable, abortedReading } from "../async/abortable-iterable.ts";
import type { ReadOptions } from "./read-options.ts";
import { SseParser } from "./sse-parser.ts";
import type { SseEvent } from "./sse-parser.ts";

/** How a stream of events ended; a generator's return value, for readers that drive the iterator themselves. */
export interface SseEnd {
  /** True when the bytes stopped inside an event. That event was not given. */
  isCut: boolean;
}

/**
 * Reads server-sent events from bytes, however they are cut. Leaving the loop early frees the source. An event larger
 * than `maxEventBytes` is `invalid_value`, an aborted signal `cancelled`; errors of the source come through as they are.
 *
 * @yields each event, as soon as its blank line has come
 */
export async function* readSse(
  bytes: AsyncIterable<Uint8Array>,
  { signal, ...limits }: ReadOptions = {},
): AsyncGenerator<SseEvent, SseEnd, undefined> {
  const parser = new SseParser(limits);
  for await (const chunk of abortableIterable(bytes, signal)) {
    for (const event of parser.push(chunk)) {
      if (signal?.aborted) throw abortedReading(signal);
      yield event;
    }
  }
  return { isCut: parser.isInsideEvent };
}

import type { Operations } from "./operations.ts";
import type { OpenOperation } from "./telemetry.ts";

/**
 * Returns chunks that are produced while an operation's span is active. A generator continues in the context of its
 * reader, so each read enters the span anew.
 */
export function activeChunks<Chunk, Result>(
  operation: OpenOperation<keyof Operations>,
  chunks: AsyncGenerator<Chunk, Result>,
): AsyncGenerator<Chunk, Result> {
  return {
    next: () => operation.run(() => chunks.next()),
    return: (value) => operation.run(() => chunks.return(value)),
    throw: (error) => operation.run(() => chunks.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: () => operation.run(() => chunks[Symbol.asyncDispose]()),
  };
}

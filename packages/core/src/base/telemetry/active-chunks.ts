import { AsyncResource } from "node:async_hooks";
import type { Operations } from "./operations.ts";
import type { OngoingOperation } from "./telemetry.ts";

/** Functions for the end of an operation's chunks. Exactly one of them is called, once. */
export type ChunksEnd<Result> = {
  readonly onDone: (result: Result) => void;
  readonly onFailed: (error: unknown) => void;
  /** Called if the reader has left before the last chunk. */
  readonly onLeft: () => void;
};

/**
 * Returns chunks that are produced while an operation's span is active. A generator continues in the context of its
 * reader, so each read enters the context of the span. To save time for each chunk, the context is created once, and
 * the chunks pass through no second generator.
 */
export function activeChunks<Chunk, Result>(
  operation: OngoingOperation<keyof Operations>,
  chunks: AsyncGenerator<Chunk, Result>,
  { onDone, onFailed, onLeft }: ChunksEnd<Result>,
): AsyncGenerator<Chunk, Result> {
  type Step = IteratorResult<Chunk, Result>;
  const scope = operation.run(() => new AsyncResource("TroupeChunks", { requireManualDestroy: true }));
  let isOver = false;
  const endBy = (end: () => void): void => {
    if (!isOver) end();
    isOver = true;
  };
  const pass = (step: Step): Step => {
    if (step.done === true) endBy(() => onDone(step.value));
    return step;
  };
  const fail = (error: unknown): never => {
    endBy(() => onFailed(error));
    throw error;
  };
  const pull = (): Promise<Step> => chunks.next();
  const refuse = (reason: unknown): Promise<Step> => chunks.throw(reason);
  const leave = async (value: Result | PromiseLike<Result>): Promise<Step> => {
    try {
      return await scope.runInAsyncScope(() => chunks.return(value));
    } finally {
      endBy(onLeft);
    }
  };
  return {
    next: () => scope.runInAsyncScope(pull).then(pass, fail),
    return: leave,
    throw: (reason) => scope.runInAsyncScope(refuse, undefined, reason).then(pass, fail),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void (await leave(undefined as Result)),
  };
}

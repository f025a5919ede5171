import type { MessageContent } from "../../src/message/content.ts";
import type { ModelProvider } from "../../src/model/model-provider.ts";
import type { StreamChunk } from "../../src/run/stream-chunk.ts";
import type { RunOutput } from "../../src/run/run-output.ts";
import type { RunOpts } from "../../src/run/run-options.ts";
import type { Runnable, RunStream } from "../../src/run/runnable.ts";
import type { RunnableSubject } from "../../src/testing/conformance/runnable-subject.ts";
import { altered } from "./altered.ts";
import { SmallRunnable } from "./small-runnable.ts";

/** The right runnable, but for some members. */
export function runnableBut(change: (right: Runnable, model: ModelProvider) => Partial<Runnable>): RunnableSubject {
  return {
    runnable: (model) => altered<Runnable>(new SmallRunnable(model), (right) => change(right, model)),
  };
}

/** A runnable whose runs are right, but for some members. */
export function runsBut(change: (right: RunStream) => Partial<RunStream>): RunnableSubject {
  return runnableBut((right) => {
    const stream = (input: MessageContent, opts?: RunOpts) => altered<RunStream>(right.stream(input, opts), change);
    return { stream, run: async (input, opts) => await stream(input, opts).output };
  });
}

/** A runnable whose runs come to something else. */
export function yielding(change: (output: RunOutput) => RunOutput): RunnableSubject {
  return runsBut((right) => ({
    get output() {
      return right.output.then(change);
    },
  }));
}

/** A runnable whose runs stream something else. */
export function chunking(change: (chunks: AsyncIterable<StreamChunk>) => AsyncIterator<StreamChunk>): RunnableSubject {
  return runsBut((right) => ({ [Symbol.asyncIterator]: () => change(right) }));
}

/** A runnable whose runs are given other options. */
export function optioning(change: (opts: RunOpts) => RunOpts): RunnableSubject {
  return runnableBut((right) => ({
    run: async (input, opts = {}) => await right.run(input, change(opts)),
    stream: (input, opts = {}) => right.stream(input, change(opts)),
  }));
}

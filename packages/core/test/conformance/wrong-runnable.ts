import type { MessageContent } from "../../src/base/message/content.ts";
import type { ModelProvider } from "../../src/model/model-provider.ts";
import type { StreamChunk } from "../../src/agents/run/stream-chunk.ts";
import type { RunOutput } from "../../src/agents/run/run-output.ts";
import type { RunOpts } from "../../src/agents/run/run-options.ts";
import type { Runnable, RunStream } from "../../src/agents/run/runnable.ts";
import type { RunnableSubject } from "../../src/testing/conformance/runnable-subject.ts";
import { altered } from "./altered.ts";
import { SmallRunnable } from "./small-runnable.ts";

/** Returns the correct runnable with some members replaced. */
export function runnableBut(change: (right: Runnable, model: ModelProvider) => Partial<Runnable>): RunnableSubject {
  return {
    runnable: (model) => altered<Runnable>(new SmallRunnable(model), (right) => change(right, model)),
  };
}

/** Returns a runnable whose streams have some members replaced. */
export function runsBut(change: (right: RunStream) => Partial<RunStream>): RunnableSubject {
  return runnableBut((right) => {
    const stream = (input: MessageContent, opts?: RunOpts) => altered<RunStream>(right.stream(input, opts), change);
    return { stream, run: async (input, opts) => await stream(input, opts).output };
  });
}

/** Returns a runnable with other outputs. */
export function yielding(change: (output: RunOutput) => RunOutput): RunnableSubject {
  return runsBut((right) => ({
    get output() {
      return right.output.then(change);
    },
  }));
}

/** Returns a runnable that streams other chunks. */
export function streamingChunks(
  change: (chunks: AsyncIterable<StreamChunk>) => AsyncIterator<StreamChunk>,
): RunnableSubject {
  return runsBut((right) => ({ [Symbol.asyncIterator]: () => change(right) }));
}

/** Returns a runnable whose runs get other options. */
export function optioning(change: (opts: RunOpts) => RunOpts): RunnableSubject {
  return runnableBut((right) => ({
    run: async (input, opts = {}) => await right.run(input, change(opts)),
    stream: (input, opts = {}) => right.stream(input, change(opts)),
  }));
}

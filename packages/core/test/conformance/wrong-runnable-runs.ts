import type { StreamChunk } from "../../src/agents/run/stream-chunk.ts";
import type { RunOpts } from "../../src/agents/run/run-options.ts";
import type { Runnable } from "../../src/agents/run/runnable.ts";
import type { runnableCases } from "../../src/testing/conformance/runnable-cases.ts";
import type { RunnableSubject } from "../../src/testing/conformance/runnable-subject.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { SmallRunnable } from "./small-runnable.ts";
import { streamingChunks, optioning, runnableBut, runsBut, yielding } from "./wrong-runnable.ts";
import { without } from "./altered.ts";

/** Runnables with mistakes in completed runs. */
export const wrongRunnableRuns = {
  "has a name and a kind": () => runnableBut(() => ({ name: "" })),
  "runs to a complete output": () => yielding((output) => without(output, "status") as typeof output),
  "streams the same answer as run returns": () =>
    streamingChunks(async function* (chunks) {
      for await (const chunk of chunks) yield chunk.type === "text" ? { ...chunk, text: chunk.text.trim() } : chunk;
    }),
  "ends a stream with exactly one finish chunk": () =>
    streamingChunks(async function* (chunks): AsyncGenerator<StreamChunk> {
      yield* chunks;
      yield { type: "finish", finishReason: "stop" };
    }),
  "runs when only its output is awaited": () => runsBut(() => ({ output: new Promise(() => undefined) })),
  "runs once when its output is awaited several times": () =>
    runnableBut((right) => ({
      stream: (input, opts) => {
        const stream = right.stream(input, opts);
        return {
          runId: stream.runId,
          textStream: stream.textStream,
          objectStream: stream.objectStream,
          [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
          cancel: () => stream.cancel(),
          get output() {
            return right.run(input, opts);
          },
        };
      },
    })),
  "calls no model before the stream is read": () =>
    runsBut((right) => {
      void right.output.catch(() => undefined);
      return {};
    }),
  "gives each run a new id, which its output has too": () => runsBut(() => ({ runId: "run_1" })),
  "uses the run id that it is given": () => runnableBut((right) => ({ run: (input) => right.run(input) })),
  "keeps runs at the same time apart": () => {
    let last: Promise<unknown> | undefined;
    return runnableBut((right) => ({
      run: async (input) => await ((last ??= right.run(input)) as ReturnType<Runnable["run"]>),
    }));
  },
  "adds up the usage of its model calls": () =>
    yielding((output) => ({ ...output, usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 } })),
  "emits one event for the start, each chunk and the end of a run": () => ({
    runnable: (model) => {
      const right = new SmallRunnable(model);
      right.eventBus.on("run.complete", ({ runId }) => {
        if (runId !== "again")
          right.eventBus.emit("run.complete", { runId: "again", sessionId: "s", output: emptyOutput });
      });
      return right;
    },
  }),
  "shows no key, user or input in its public output": () =>
    runnableBut((right) => ({
      run: async (input, opts) => {
        const output = await right.run(input, opts);
        return { ...output, sessionId: `session of ${opts?.userId}` };
      },
    })),
  "refuses unknown options": () => optioning(({ signal }) => (signal ? { signal } : {})),
  "runs again after a run that failed": () => {
    let failure: Promise<never> | undefined;
    return runnableBut((right) => ({
      run: async (input, opts?: RunOpts) => {
        if (failure !== undefined) return await failure;
        return await right.run(input, opts).catch(async (error: unknown) => {
          failure = Promise.reject(error);
          return await failure;
        });
      },
    }));
  },
} satisfies Partial<WrongSubjects<RunnableSubject, typeof runnableCases>>;

const emptyOutput = {
  text: "",
  toolCalls: [],
  runId: "r",
  sessionId: "s",
  status: "completed" as const,
  durationMs: 0,
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
};

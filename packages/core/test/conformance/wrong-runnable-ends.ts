import { toTroupeError } from "../../src/base/errors/to-troupe-error.ts";
import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { runnableCases } from "../../src/testing/conformance/runnable-cases.ts";
import type { RunnableSubject } from "../../src/testing/conformance/runnable-subject.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { SmallRunnable } from "./small-runnable.ts";
import { streamingChunks, optioning, runsBut } from "./wrong-runnable.ts";
import { without } from "./altered.ts";
import type { RunContext } from "../../src/agents/run/run-context.ts";

/** Runnables with mistakes in failed and cancelled runs. */
export const wrongRunnableEnds = {
  "fails with an error that carries the output so far": () => failing(({ code }) => new TroupeError(code, "Failed.")),
  "fails its stream and its output with the same error": () =>
    streamingChunks(async function* (chunks) {
      try {
        yield* chunks;
      } catch {
        // Ends as if the answer were complete.
      }
    }),
  "leaves no rejection unhandled when it is only iterated": () =>
    streamingChunks(async function* (chunks) {
      try {
        yield* chunks;
      } catch (error) {
        void Promise.reject(error);
        throw error;
      }
    }),
  "emits one run.error and no run.complete for a failed run": () => ({
    runnable: (model) => {
      const right = new SmallRunnable(model);
      const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
      const output = {
        text: "",
        toolCalls: [],
        usage,
        runId: "r",
        sessionId: "s",
        status: "completed" as const,
        durationMs: 0,
      };
      right.eventBus.on("run.error", ({ runId }) =>
        right.eventBus.emit("run.complete", { runId, sessionId: "s", output }),
      );
      return right;
    },
  }),
  "ends as cancelled after cancel()": () => runsBut(() => ({ cancel: () => undefined })),
  "ends a pending read when it is cancelled": () => runsBut(() => ({ cancel: () => undefined })),
  "ends as cancelled by the caller's signal": () => optioning((opts) => without(opts, "signal")),
  "calls no model when the caller's signal has aborted already": () => optioning((opts) => without(opts, "signal")),
  "ends as cancelled when the reader leaves early": () =>
    // Keeps reading after its reader has left.
    runsBut((right) => ({
      [Symbol.asyncIterator]: () => {
        const chunks = right[Symbol.asyncIterator]();
        return { next: async () => await chunks.next() };
      },
    })),
  "changes nothing when it is cancelled after its end": () =>
    runsBut((right) => {
      let isCancelled = false;
      return {
        cancel: () => void (isCancelled = true),
        get output() {
          if (!isCancelled) return right.output;
          return Promise.reject(new TroupeError("cancelled", "Cancelled."));
        },
      };
    }),
} satisfies Partial<WrongSubjects<RunnableSubject, typeof runnableCases>>;

/** Returns a runnable that fails with another error. */
function failing(change: (error: TroupeError) => unknown): RunnableSubject {
  return runsBut((right) => ({
    get output() {
      return right.output.catch((error: unknown) => {
        throw change(toTroupeError(error));
      });
    },
  }));
}

const orphaned = () => optioning((opts) => without(opts, "parent"));

/** A copy of the parent's context has only its plain fields: the usage of the parent run cannot be reached from it. */
const unbilled = () => optioning(({ parent, ...opts }) => ({ ...opts, ...(parent && { parent: { ...parent } }) }));

/** Runnables with mistakes in child runs. */
export const wrongRunnableParents = {
  "adds its usage to its parent run": unbilled,
  "names its parent run in its events": orphaned,
  "ends when its parent run ends": () =>
    optioning(({ parent, ...opts }) => ({ ...opts, ...(parent && { parent: deaf(parent) }) })),
} satisfies Partial<WrongSubjects<RunnableSubject, typeof runnableCases>>;

function deaf(parent: RunContext): RunContext {
  return { ...parent, signal: new AbortController().signal };
}

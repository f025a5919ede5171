import { toTroupeError } from "../../src/errors/to-troupe-error.ts";
import { TroupeError } from "../../src/errors/troupe-error.ts";
import type { runnableEndCases } from "../../src/testing/conformance/runnable-end-cases.ts";
import type { RunnableSubject } from "../../src/testing/conformance/runnable-subject.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { SmallRunnable } from "./small-runnable.ts";
import { chunking, optioning, runsBut } from "./wrong-runnable.ts";
import { without } from "./without.ts";

/** Runnables whose runs end wrongly. */
export const wrongRunnableEnds = {
  "fails with an error that carries what there was": () => failing(({ code }) => new TroupeError(code, "Failed.")),
  "fails its stream and its output alike": () =>
    chunking(async function* (chunks) {
      try {
        yield* chunks;
      } catch {
        // Ends as if all had been said.
      }
    }),
  "leaves no rejection unhandled when it is only iterated": () =>
    chunking(async function* (chunks) {
      try {
        yield* chunks;
      } catch (error) {
        void Promise.reject(error);
        throw error;
      }
    }),
  "tells of a failed run by one error and no completion": () => ({
    runnable: (model) => {
      const right = new SmallRunnable(model);
      const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
      const output = { text: "", toolCalls: [], usage };
      right.eventBus.on("run.error", ({ runId }) => right.eventBus.emit("run.complete", { runId, output }));
      return right;
    },
  }),
  "ends as cancelled by its own cancel": () => runsBut(() => ({ cancel: () => undefined })),
  "ends a read that waits when it is cancelled": () => runsBut(() => ({ cancel: () => undefined })),
  "ends as cancelled by the caller's signal": () => optioning((opts) => without(opts, "signal")),
  "asks nothing when the caller's signal has aborted already": () => optioning((opts) => without(opts, "signal")),
  "ends as cancelled when the reader leaves early": () =>
    // Goes on to read when its reader has left.
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
} satisfies WrongSubjects<RunnableSubject, typeof runnableEndCases>;

/** Fails with another error. */
function failing(change: (error: TroupeError) => unknown): RunnableSubject {
  return runsBut((right) => ({
    get output() {
      return right.output.catch((error: unknown) => {
        throw change(toTroupeError(error));
      });
    },
  }));
}

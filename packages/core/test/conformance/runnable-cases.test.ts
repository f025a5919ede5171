import { describe, it } from "vitest";
import { checkConformance } from "../../src/testing/conformance/check-conformance.ts";
import { runnableCases } from "../../src/testing/conformance/runnable-cases.ts";
import { checkWrongSubjects } from "./check-wrong-subjects.ts";
import { SmallRunnable } from "./small-runnable.ts";
import { wrongRunnableEnds, wrongRunnableParents } from "./wrong-runnable-ends.ts";
import { wrongRunnableRuns } from "./wrong-runnable-runs.ts";

describe("SmallRunnable", () => {
  checkConformance(it, runnableCases, { create: () => ({ runnable: (model) => new SmallRunnable(model) }) });
});

describe("the suite of runnables", () => {
  // Concurrent, because some cases end by their timeout.
  checkWrongSubjects(it.concurrent, runnableCases, {
    ...wrongRunnableRuns,
    ...wrongRunnableEnds,
    ...wrongRunnableParents,
  });
});

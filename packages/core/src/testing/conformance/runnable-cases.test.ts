import { describe, it } from "vitest";
import { checkConformance } from "./check-conformance.ts";
import { runnableCases } from "./runnable-cases.ts";
import { checkWrongSubjects } from "./wrong/check-wrong-subjects.ts";
import { SmallRunnable } from "./wrong/small-runnable.ts";
import { wrongRunnableEnds } from "./wrong/wrong-runnable-ends.ts";
import { wrongRunnableParents } from "./wrong/wrong-runnable-parents.ts";
import { wrongRunnableRuns } from "./wrong/wrong-runnable-runs.ts";

describe("a small Runnable", () => {
  checkConformance(it, runnableCases, { create: () => ({ runnable: (model) => new SmallRunnable(model) }) });
});

describe("the suite of runnables", () => {
  // At once: some wait in vain for what never comes.
  checkWrongSubjects(it.concurrent, runnableCases, {
    ...wrongRunnableRuns,
    ...wrongRunnableEnds,
    ...wrongRunnableParents,
  });
});

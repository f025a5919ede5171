import type { RunContext } from "../../src/run/run-context.ts";
import type { runnableParentCases } from "../../src/testing/conformance/runnable-parent-cases.ts";
import type { RunnableSubject } from "../../src/testing/conformance/runnable-subject.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { optioning } from "./wrong-runnable.ts";
import { without } from "./without.ts";

const orphaned = () => optioning((opts) => without(opts, "parent"));

/** A copy has no private slot: the account of the run above is out of reach, and only its facts are left. */
const unbilled = () => optioning(({ parent, ...opts }) => ({ ...opts, ...(parent && { parent: { ...parent } }) }));

/** Runnables that are no good part of another run. */
export const wrongRunnableParents = {
  "bills what it costs to the run that it is part of": unbilled,
  "says in its events whose part it is": orphaned,
  "ends with the run that it is part of": () =>
    optioning(({ parent, ...opts }) => ({ ...opts, ...(parent && { parent: deaf(parent) }) })),
} satisfies WrongSubjects<RunnableSubject, typeof runnableParentCases>;

function deaf(parent: RunContext): RunContext {
  return { ...parent, signal: new AbortController().signal };
}

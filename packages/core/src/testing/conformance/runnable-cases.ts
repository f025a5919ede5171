import { runnableEndCases } from "./runnable-end-cases.ts";
import { runnableParentCases } from "./runnable-parent-cases.ts";
import { runnableRunCases } from "./runnable-run-cases.ts";

/** What every `Runnable` promises: agents, teams, remote agents, and yours. */
export const runnableCases = { ...runnableRunCases, ...runnableEndCases, ...runnableParentCases };

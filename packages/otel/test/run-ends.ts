import { TroupeError } from "@troupe/core";
import type { RunError, RunOutput } from "@troupe/core";

/** Returns the output of a run, also of one that fails. */
export async function endOf(run: Promise<RunOutput>): Promise<RunOutput> {
  return await run.catch((error: unknown) => {
    if (!TroupeError.is(error)) throw error;
    return (error as RunError).output;
  });
}

/** Lets this many turns of the event loop pass. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

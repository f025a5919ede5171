import type { Artifact } from "../message/tool-call.ts";

/** What came of a call: the text for the model, and `error` when it is told of a failure. */
export type Outcome = { readonly result: string; readonly error?: string; readonly artifacts?: Artifact[] };

/** The outcome of a call that failed or was not made: the model is told why. */
export function failed(problem: string): Outcome {
  return { result: problem, error: problem };
}

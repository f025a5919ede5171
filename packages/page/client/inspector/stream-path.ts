import { keyOfStep } from "./step-path.ts";

/** The steps of a run with which a path in the run's stream is compared. */
export type KnownSteps = {
  /** Returns true for the name of a declared step. */
  isName(name: string): boolean;
  /** Returns true for the key of a step whose rounds or items are separate steps. */
  isRepeated(key: string): boolean;
};

/**
 * Returns the key of a workflow step, from the step's path in the stream of the run, such as `pages/0/translate`. A
 * name may contain slashes and numbers, so the path is compared with the known steps.
 */
export function stepOfPath(path: string, known: KnownSteps, before = ""): string {
  const part = known.isName(path) ? undefined : partIn(path, known, before);
  if (part === undefined) return before + keyOfStep(path);
  return part.rest === "" ? part.key : stepOfPath(part.rest, known, `${part.key}/`);
}

/** Returns the key of the round or item with which a path begins, and the rest of the path. */
function partIn(path: string, known: KnownSteps, before: string): { key: string; rest: string } | undefined {
  for (const { index, 0: token } of path.matchAll(/\/\d{1,9}(?=\/|$)/g)) {
    const key = before + keyOfStep(path.slice(0, index));
    if (known.isRepeated(key)) return { key: key + token, rest: path.slice(index + token.length + 1) };
  }
  return undefined;
}

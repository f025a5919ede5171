import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { plainSteps } from "../run/run-steps.ts";
import type { RunSteps } from "../run/run-steps.ts";

/** The place of a step in its run: its path, and its key among the steps of the run. */
export type StepPlace = {
  /** The step's name; in a repeated step its path, such as `pages/0/translate`. */
  readonly path: string;
  readonly key: string;
  readonly steps: RunSteps;
};

/**
 * The place of nested steps: the path that precedes their names, and the part of the run's journal in which they are
 * stored.
 */
export type StepsPlace = { readonly path: string; readonly steps: RunSteps };

/** Returns the place of a step that is not within a repeated step. */
export function topPlace(name: string, steps: RunSteps = plainSteps): StepPlace {
  return placeIn({ path: "", steps }, name);
}

/** Returns the place of the step with this name among nested steps. */
export function placeIn({ path, steps }: StepsPlace, name: string): StepPlace {
  return { path: path + name, key: keyOf(name), steps };
}

/** Returns the place of one round or one item of a repeated step. Numbers begin at 0. */
export function placeAt({ path, key, steps }: StepPlace, number: number): StepPlace {
  return { path: `${path}/${number}`, key: `${key}/${number}`, steps };
}

/** Returns the place of the steps within one round or one item. */
export function placeWithin({ path, key, steps }: StepPlace): StepsPlace {
  return { path: `${path}/`, steps: steps.part(key) };
}

function keyOf(name: string): string {
  // A dot in a step's name is encoded, because a dot in the step's key would make the ids of waits ambiguous.
  return `w/${encodeKey(name).replaceAll(".", "%2E")}`;
}

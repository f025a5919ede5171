import { combineChanges } from "./state-change.ts";
import type { StateChange } from "./state-change.ts";
import type { StepScope } from "./step-attempt.ts";
import type { StepsPlace } from "./step-place.ts";

/** The scope of a sequence of steps (state, message, signal and receiver of changes), and their place in the run. */
export type PlacedScope = StepScope & StepsPlace;

/**
 * Returns the scope of the steps that run after a change of the state: it has the changed state, and hands on the
 * change together with later changes.
 */
export function scopeAfter<Scope extends StepScope>(scope: Scope, change: StateChange): Scope {
  const { before, onChange } = scope;
  return {
    ...scope,
    before: { state: { ...before.state, ...change.partial }, message: change.text ?? before.message },
    onChange: (further: StateChange) => onChange(combineChanges(change, further)),
  };
}

import { combineChanges } from "./state-change.ts";
import type { StateChange } from "./state-change.ts";
import type { StepScope } from "./step-attempt.ts";
import type { StepsPlace } from "./step-place.ts";

/** The scope of a sequence of steps (state, message, signal and receiver of changes), and their place in the run. */
export type PlacedScope = StepScope & StepsPlace;

/** Returns the scope of the steps that follow a change in this scope. */
export function scopeAfter<Scope extends StepScope>(scope: Scope, change: StateChange): Scope {
  const { before, onChange } = scope;
  return {
    ...scope,
    before: { state: { ...before.state, ...change.partial }, message: change.text ?? before.message },
    onChange: (further: StateChange) => onChange(combineChanges(change, further)),
  };
}

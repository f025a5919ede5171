import type { Evidence, Invariant } from "./evidence.ts";
import { noCanary, noForeignData } from "./invariants/leaks.ts";
import { backToBaseline, boundedMemory, responsiveLoop, staysAlive } from "./invariants/processes.ts";
import { declaredResponses, streamsEndOnce } from "./invariants/responses.ts";
import { acknowledgedTurns, contiguousTurns, noHalfTurns } from "./invariants/turns.ts";
import { validHistory } from "./invariants/valid-history.ts";

/** The promises that the service keeps under any fault, by number. */
export const invariants = {
  I1: acknowledgedTurns,
  I2: validHistory,
  I3: contiguousTurns,
  I4: noHalfTurns,
  I5: noForeignData,
  I6: backToBaseline,
  I7: staysAlive,
  I8: declaredResponses,
  I9: streamsEndOnce,
  I10: noCanary,
  I11: boundedMemory,
  I12: responsiveLoop,
} as const satisfies Record<string, Invariant>;

/** The number of an invariant. */
export type InvariantId = keyof typeof invariants;

/** One violation of an invariant. */
export type Violation = { invariant: InvariantId; message: string };

const all = Object.entries(invariants) as [InvariantId, Invariant][];

/** Returns all violations in the evidence. `unjudged` names the invariants without evidence. */
export function check(evidence: Evidence): Violation[] {
  return all.flatMap(([invariant, { violations }]) =>
    Array.from(violations(evidence), (message) => ({ invariant, message })),
  );
}

/** Returns the invariants that cannot be judged, because the test did not record the evidence for them. */
export function unjudged(evidence: Evidence): InvariantId[] {
  return all.filter(([, { needs }]) => needs.some((name) => evidence[name] === undefined)).map(([id]) => id);
}

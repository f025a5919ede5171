import type { Evidence, Invariant } from "./evidence.ts";
import { acknowledgedTurns } from "./invariants/i1-acknowledged-turns.ts";
import { noCanary } from "./invariants/i10-no-canary.ts";
import { boundedMemory } from "./invariants/i11-bounded-memory.ts";
import { responsiveLoop } from "./invariants/i12-responsive-loop.ts";
import { validHistory } from "./invariants/i2-valid-history.ts";
import { contiguousTurns } from "./invariants/i3-contiguous-turns.ts";
import { noHalfTurns } from "./invariants/i4-no-half-turns.ts";
import { noForeignData } from "./invariants/i5-no-foreign-data.ts";
import { backToBaseline } from "./invariants/i6-back-to-baseline.ts";
import { staysAlive } from "./invariants/i7-stays-alive.ts";
import { declaredResponses } from "./invariants/i8-declared-responses.ts";
import { streamsEndOnce } from "./invariants/i9-streams-end-once.ts";

/** What the service promises under any fault, by the numbers of the fault catalogue. */
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

/** One breach of a promise. */
export type Violation = { invariant: InvariantId; message: string };

const all = Object.entries(invariants) as [InvariantId, Invariant][];

/** Every breach that the evidence shows; see `unjudged` for what it cannot show. */
export function check(evidence: Evidence): Violation[] {
  return all.flatMap(([invariant, { breaches }]) =>
    Array.from(breaches(evidence), (message) => ({ invariant, message })),
  );
}

/** The invariants that the evidence says nothing of, because a test did not record what they need. */
export function unjudged(evidence: Evidence): InvariantId[] {
  return all.filter(([, { needs }]) => needs.some((name) => evidence[name] === undefined)).map(([id]) => id);
}

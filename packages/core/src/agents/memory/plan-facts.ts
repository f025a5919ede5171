import { recordVersion } from "../../sessions/storage/stored-record.ts";
import { createId } from "../../base/util/create-id.ts";
import { factKey } from "./user-fact.ts";
import type { FactSource, StoredFact } from "./user-fact.ts";

/** Changes to the stored facts of a user, planned by `planFacts`: the facts to store and the facts to remove. */
export type FactChanges = { stored: StoredFact[]; removed: StoredFact[] };

type NewFacts = { texts: readonly string[]; source: FactSource; maxFacts: number };

/**
 * Plans to add facts that are not known yet. Beyond `maxFacts` the oldest facts found by a model are removed first,
 * then the oldest of all. A known fact that a model found becomes `manual` when the program adds it.
 */
export function planFacts(known: readonly StoredFact[], { texts, source, maxFacts }: NewFacts): FactChanges {
  const byKey = new Map(known.map((fact) => [factKey(fact.fact), fact]));
  const changed = new Map<string, StoredFact>();
  let order = known.reduce((last, fact) => Math.max(last, fact.order), 0);
  for (const text of texts) {
    const key = factKey(text);
    const same = byKey.get(key);
    if (same === undefined) {
      order += 1;
      const fact = { v: recordVersion, id: createId(), fact: text, source, createdAt: Date.now(), order } as const;
      byKey.set(key, fact);
      changed.set(fact.id, fact);
    } else if (same.source === "auto" && source === "manual") {
      changed.set(same.id, { ...same, source });
    }
  }
  const all = new Map([...known.map((fact) => [fact.id, fact] as const), ...changed]);
  const kept = new Set(factsToKeep([...all.values()], maxFacts).map(({ id }) => id));
  return {
    stored: [...changed.values()].filter(({ id }) => kept.has(id)),
    removed: known.filter(({ id }) => !kept.has(id)),
  };
}

/**
 * Returns the facts to keep, at most `maxFacts`, oldest first. The oldest facts found by a model are dropped first,
 * then the oldest added by the program.
 */
export function factsToKeep(facts: readonly StoredFact[], maxFacts: number): StoredFact[] {
  const inOrder = facts.toSorted((one, other) => one.order - other.order || (one.id < other.id ? -1 : 1));
  const excess = inOrder.length - maxFacts;
  if (excess <= 0) return inOrder;
  const removed = new Set([...ofSource(inOrder, "auto"), ...ofSource(inOrder, "manual")].slice(0, excess));
  return inOrder.filter((fact) => !removed.has(fact));
}

function ofSource(facts: readonly StoredFact[], source: FactSource): StoredFact[] {
  return facts.filter((fact) => fact.source === source);
}

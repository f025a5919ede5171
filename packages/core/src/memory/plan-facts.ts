import { recordVersion } from "../storage/stored-record.ts";
import { createId } from "../util/create-id.ts";
import { factKey } from "./fact-text.ts";
import type { FactSource, StoredFact } from "./user-fact.ts";

/** What is to be stored of a user's facts, and what to be removed. */
export type FactPlan = { stored: StoredFact[]; removed: StoredFact[] };

type NewFacts = { texts: readonly string[]; source: FactSource; maxFacts: number };

/**
 * Adds facts that are not known yet, and makes room: the oldest that were found by a model go first, then the oldest of
 * all. A fact that a model had found and somebody now says counts as said.
 */
export function planFacts(known: readonly StoredFact[], { texts, source, maxFacts }: NewFacts): FactPlan {
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
  const kept = new Set(newestFacts([...all.values()], maxFacts).map(({ id }) => id));
  return {
    stored: [...changed.values()].filter(({ id }) => kept.has(id)),
    removed: known.filter(({ id }) => !kept.has(id)),
  };
}

/** As many as there is room for, oldest first. */
export function newestFacts(facts: readonly StoredFact[], maxFacts: number): StoredFact[] {
  const inOrder = facts.toSorted((one, other) => one.order - other.order || (one.id < other.id ? -1 : 1));
  const excess = inOrder.length - maxFacts;
  if (excess <= 0) return inOrder;
  const leaving = new Set([...ofSource(inOrder, "auto"), ...ofSource(inOrder, "manual")].slice(0, excess));
  return inOrder.filter((fact) => !leaving.has(fact));
}

function ofSource(facts: readonly StoredFact[], source: FactSource): StoredFact[] {
  return facts.filter((fact) => fact.source === source);
}

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsToKeep, planFacts } from "./plan-facts.ts";
import type { FactSource, StoredFact } from "./user-fact.ts";

const fact = (order: number, source: FactSource, text = `fact ${order}`): StoredFact => ({
  v: 1,
  id: `id-${order}`,
  fact: text,
  source,
  createdAt: 0,
  order,
});

describe("planFacts", () => {
  it("removes the oldest that a model found first, then the oldest of all", () => {
    const known = [fact(1, "manual"), fact(2, "auto"), fact(3, "manual"), fact(4, "auto")];
    const removedFor = (count: number) => {
      const texts = Array.from({ length: count }, (_, index) => `new ${index}`);
      return planFacts(known, { texts, source: "manual", maxFacts: 4 }).removed.map(({ order }) => order);
    };

    expect(removedFor(1)).toEqual([2]);
    expect(removedFor(2)).toEqual([2, 4]);
    expect(removedFor(3)).toEqual([1, 2, 4]);
  });

  it("stores no found fact when there is room for manual ones only", () => {
    const known = [fact(1, "manual"), fact(2, "manual")];

    expect(planFacts(known, { texts: ["new"], source: "auto", maxFacts: 2 })).toEqual({ stored: [], removed: [] });
  });

  it("makes a found fact manual when the program adds it", () => {
    const plan = planFacts([fact(1, "auto", "Likes tea.")], { texts: ["likes tea"], source: "manual", maxFacts: 5 });

    expect(plan).toEqual({ stored: [fact(1, "manual", "Likes tea.")], removed: [] });
  });

  it("never keeps more than maxFacts facts, and never two equal ones", () => {
    const source = fc.constantFrom<FactSource>("auto", "manual");
    const additions = fc.array(fc.record({ texts: fc.array(fc.constantFrom(...Array.from("abcdefghABCD"))), source }));
    const property = fc.property(additions, fc.integer({ min: 1, max: 5 }), (rounds, maxFacts) => {
      let known: StoredFact[] = [];
      for (const round of rounds) {
        const { stored, removed } = planFacts(known, { ...round, maxFacts });
        const gone = new Set([...stored, ...removed].map(({ id }) => id));
        known = [...known.filter(({ id }) => !gone.has(id)), ...stored];
        expect(known.length).toBeLessThanOrEqual(maxFacts);
        expect(new Set(known.map((each) => each.fact.toLowerCase())).size).toBe(known.length);
        expect(new Set(known.map(({ order }) => order)).size).toBe(known.length);
      }
    });
    fc.assert(property);
  });
});

describe("factsToKeep", () => {
  it("is in the order in which facts were added, whatever the clock", () => {
    const facts = [
      { ...fact(2, "auto"), createdAt: 5 },
      { ...fact(1, "manual"), createdAt: 9 },
    ];

    expect(factsToKeep(facts, 9).map(({ order }) => order)).toEqual([1, 2]);
  });
});

import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
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

describe("factsToKeep, of facts with one order", () => {
  const named = (id: string, order = 1): StoredFact => ({ ...fact(order, "auto"), id });

  it.each([
    [["b", "a", "c"], 3, ["a", "b", "c"]],
    [["c", "b", "a"], 2, ["b", "c"]],
    [["b", "a", "c"], 0, []],
  ])("sorts %j by id, and keeps the last %d", (ids, maxFacts, kept) => {
    const facts = ids.map((id) => named(id));

    expect(factsToKeep(facts, maxFacts).map(({ id }) => id)).toEqual(kept);
    expect(facts.map(({ id }) => id)).toEqual(ids);
  });
});

describe("planFacts, of new facts", () => {
  it("numbers them after all known ones, and stores each once with its source and the time", () => {
    vi.useFakeTimers({ now: 12_345 });
    const known = [fact(9, "manual"), fact(4, "auto")];
    const { stored, removed } = planFacts(known, { texts: ["a", "A.", "b"], source: "auto", maxFacts: 9 });
    vi.useRealTimers();

    expect(stored).toEqual([
      { id: stored[0]?.id, v: 1, fact: "a", source: "auto", createdAt: 12_345, order: 10 },
      { id: stored[1]?.id, v: 1, fact: "b", source: "auto", createdAt: 12_345, order: 11 },
    ]);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(2);
    expect(removed).toEqual([]);
  });

  it("leaves a known fact as it is unless a found one becomes manual", () => {
    const known = [fact(1, "manual", "Likes tea."), fact(2, "auto", "Has a cat.")];
    const plan = (source: FactSource) => planFacts(known, { texts: ["likes tea", "HAS A CAT"], source, maxFacts: 9 });

    expect(plan("auto")).toEqual({ stored: [], removed: [] });
    expect(plan("manual")).toEqual({ stored: [fact(2, "manual", "Has a cat.")], removed: [] });
  });

  it("removes known facts beyond a limit that has become lower, although nothing is new", () => {
    const known = [fact(1, "manual"), fact(2, "auto"), fact(3, "manual")];

    expect(planFacts(known, { texts: [], source: "auto", maxFacts: 1 })).toEqual({
      stored: [],
      removed: [known[0], known[1]],
    });
  });

  it("stores only the newest of more new facts than there is room for", () => {
    const { stored } = planFacts([], { texts: ["a", "b", "c"], source: "manual", maxFacts: 2 });

    expect(stored.map(({ fact: text, order }) => [text, order])).toEqual([
      ["b", 2],
      ["c", 3],
    ]);
  });
});

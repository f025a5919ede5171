import { describe, expect, it } from "vitest";
import { check, invariants, unjudged } from "./check.ts";
import { recordedRun } from "./test/recorded-run.ts";
import { serviceMutations } from "./test/service-mutations.ts";
import { sessionMutations } from "./test/session-mutations.ts";

const mutations = { ...sessionMutations, ...serviceMutations };

describe("check", () => {
  it("finds nothing in a valid run of three sessions with five turns each", () => {
    const evidence = recordedRun();

    expect(check(evidence)).toEqual([]);
    expect(unjudged(evidence)).toEqual([]);
    expect([evidence.storage.turns.length, evidence.exchanges.length]).toEqual([15, 30]);
  });

  it.each(Object.entries(mutations))("finds that %s, by exactly one invariant", (_title, { violates, spoil, says }) => {
    const evidence = recordedRun();
    spoil(evidence);
    const violations = check(evidence);

    expect(violations.map(({ invariant }) => invariant)).toEqual(violations.map(() => violates));
    expect(violations[0]?.message).toMatch(says);
  });

  it.each(Object.keys(invariants))("is tested with at least two mutants for %s", (id) => {
    expect(Object.values(mutations).filter(({ violates }) => violates === id).length).toBeGreaterThanOrEqual(2);
  });

  it("counts the sessions of team members as their team's", () => {
    const evidence = recordedRun();
    const [first] = evidence.storage.turns;
    const ofMember = { key: "-/-/amber%23helper/000000000001", value: first?.value ?? null };
    evidence.storage = { ...evidence.storage, turns: [...evidence.storage.turns, ofMember] };

    expect(check(evidence)).toEqual([]);
  });

  it("leaves invariants unjudged whose evidence is missing", () => {
    const { operations, exchanges, storage } = recordedRun();

    expect(unjudged({ operations, exchanges, storage })).toEqual(["I6", "I7", "I8", "I9", "I10", "I11", "I12"]);
  });
});

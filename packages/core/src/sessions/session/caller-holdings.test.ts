import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { expect, it } from "vitest";
import { CallerHoldings } from "./caller-holdings.ts";
import { countedCaller } from "./counted-caller.ts";

const callers = [
  countedCaller({ userId: "ada", verified: true }, undefined),
  countedCaller({ userId: "ada", tenantId: "t", verified: true }, undefined),
  countedCaller({}, "203.0.113.7"),
  countedCaller({}, "203.0.113.8"),
];

const step = record({
  act: constantFrom("set", "grow", "delete"),
  id: constantFrom("a", "b", "c"),
  caller: constantFrom(...callers),
  size: integer({ min: 1, max: 5 }),
});

it("what callers hold is the sum of their things, after any changes, and nothing when all are given back", () => {
  assert(
    property(array(step, { maxLength: 30 }), (steps) => {
      const holdings = new CallerHoldings();
      const held = new Map<string, { caller: (typeof callers)[number]; size: number }>();
      const sumOf = (isMeant: (caller: (typeof callers)[number]) => boolean): number =>
        [...held.values()].reduce((sum, { caller, size }) => sum + (isMeant(caller) ? size : 0), 0);
      const check = (): void => {
        for (const caller of callers) {
          expect(holdings.of(caller)).toEqual({
            own: sumOf(({ key }) => key === caller.key),
            together: sumOf(({ kind }) => kind === caller.kind),
          });
        }
      };
      for (const { act, id, caller, size } of steps) {
        const known = held.get(id);
        if (act === "set") {
          holdings.set(id, caller, size);
          held.set(id, { caller, size });
        } else if (act === "grow") {
          holdings.grow(id, size);
          if (known !== undefined) held.set(id, { ...known, size: known.size + size });
        } else {
          holdings.delete(id);
          held.delete(id);
        }
        check();
      }
      for (const id of ["a", "b", "c", "a"]) holdings.delete(id);
      held.clear();
      check();
    }),
  );
});

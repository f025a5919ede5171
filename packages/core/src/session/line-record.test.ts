import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planLine } from "./line-record.ts";
import type { LineRecord, Wish } from "./line-record.ts";

const wishOf = (process: string, tickets: number[], more: Partial<Wish> = {}): Wish => ({
  sign: { process, beat: 9, leaseMs: 1000 },
  tickets,
  dead: new Set(),
  isDue: false,
  forgets: false,
  ...more,
});

/** A line of places like `a1`, each process with its sign. */
function lineOf(...places: string[]): LineRecord {
  const line = places.map(([process = "", ...ticket]) => ({ process, ticket: Number(ticket.join("")) }));
  const processes = [...new Set(line.map(({ process }) => process))];
  return { v: 1, token: 7, line, processes: processes.map((process) => ({ process, beat: 1, leaseMs: 1000 })) };
}

const shown = (record: LineRecord | null) => record?.line.map(({ process, ticket }) => process + ticket).join(" ");
const firstOf = (record: LineRecord | null) => shown(record)?.split(" ")[0] ?? "";
const tokenOf = (record: LineRecord | null) => record?.token ?? 0;
const processesOf = (record: LineRecord | null) => new Set(record?.line.map(({ process }) => process));

describe("planLine", () => {
  it.each([
    ["puts whoever is new behind all others", lineOf("a1", "b1"), wishOf("a", [1, 2, 3]), "a1 b1 a2 a3, 7"],
    [
      "takes out whoever is gone, and gives those behind the turn",
      lineOf("a1", "b1", "a2"),
      wishOf("a", [2]),
      "b1 a2, 8",
    ],
    [
      "takes out the dead with all their places",
      lineOf("b1", "a1", "b2"),
      wishOf("a", [1], { dead: new Set("b") }),
      "a1, 8",
    ],
    [
      "leaves the living of other processes alone",
      lineOf("b1", "c1"),
      wishOf("a", [], { dead: new Set("c") }),
      "b1, 7",
    ],
    ["keeps the number when there is nobody left", lineOf("a1"), wishOf("a", []), ", 8"],
  ])("%s", (...[, stored, wish, planned]) => {
    const next = planLine(stored, wish);

    expect(`${shown(next)}, ${next?.token}`).toBe(planned);
  });

  it("has nothing to write when all is as wished, unless a sign of life is due", () => {
    const stored = lineOf("a1", "b1");

    expect(planLine(stored, wishOf("a", [1]))).toBe(stored);
    expect(planLine(stored, wishOf("a", [1], { isDue: true }))).toEqual({
      ...stored,
      processes: [
        { process: "a", beat: 9, leaseMs: 1000 },
        { process: "b", beat: 1, leaseMs: 1000 },
      ],
    });
    expect(planLine(null, wishOf("a", []))).toBeNull();
  });

  it("forgets a line only when nobody is in it", () => {
    expect(planLine(lineOf("a1"), wishOf("a", [], { forgets: true }))).toBeNull();
    expect(shown(planLine(lineOf("a1", "b1"), wishOf("a", [], { forgets: true })))).toBe("b1");
  });

  it("gives a larger number exactly when somebody else becomes first, and has a sign of each in line and of no one else", () => {
    const process = fc.constantFrom("a", "b", "c");
    const step = fc.record({ process, tickets: fc.uniqueArray(fc.nat(3)), dead: fc.uniqueArray(process) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let stored: LineRecord | null = null;
        for (const wish of steps) {
          const next = planLine(stored, wishOf(wish.process, wish.tickets, { dead: new Set(wish.dead) }));

          expect(tokenOf(next) > tokenOf(stored)).toBe(firstOf(next) !== firstOf(stored));
          expect(new Set(next?.processes.map((sign) => sign.process))).toEqual(processesOf(next));
          stored = next;
        }
      }),
    );
  });
});

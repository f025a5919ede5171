import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { runProcesses } from "./test/run-processes.ts";
import type { Plan } from "./test/run-processes.ts";

const share = { few: 1, many: 8 }[inject("trials")];

const process = fc.nat(2);
const runs = fc.array(fc.record({ process, atMs: fc.nat(20_000), takesMs: fc.nat(3000) }), {
  minLength: 1,
  maxLength: 10,
});
const stops = fc.array(fc.record({ process, atMs: fc.nat(25_000), forMs: fc.nat(40_000) }), { maxLength: 5 });
const seed = fc.nat();
const plans: fc.Arbitrary<Plan> = fc.record({ seed, processes: fc.constant(3), runs, stops });

it("a shared session stores each turn once, after all turns that its run had found, whichever process is stopped or dies", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { stored, acknowledged, counted } = await runProcesses(plan);

      expect(stored.map(({ found }) => found)).toEqual(stored.map((_, index) => index));
      expect(new Set(stored.map(({ run }) => run)).size).toBe(stored.length);
      expect(stored.map(({ run }) => run)).toEqual(expect.arrayContaining(acknowledged));
      expect(counted).toBeLessThanOrEqual(stored.length);
    }),
    { numRuns: 16 * share },
  );
});

it("a shared session refuses no run and keeps the order in which runs came, when no process is stopped", async () => {
  const inOrder = fc
    .array(fc.record({ process, takesMs: fc.nat(2000) }), { minLength: 1, maxLength: 12 })
    .map((all) => all.map((run, index) => ({ ...run, atMs: index * 20 })));
  await fc.assert(
    fc.asyncProperty(seed, inOrder, async (number, all) => {
      const { stored } = await runProcesses({ seed: number, processes: 3, runs: all, stops: [] });

      expect(stored).toEqual(all.map((_, index) => ({ run: index, found: index })));
    }),
    { numRuns: 8 * share },
  );
});

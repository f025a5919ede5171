import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { NodeMutant } from "./node-mutants.ts";
import { tryNodes } from "./try-nodes.ts";

/** Some runs of a service of one API node and one worker, with a PostgreSQL of their own. */
async function tryMutant(mutant: NodeMutant, patienceMs: number): Promise<readonly string[]> {
  const { faults } = await tryNodes({
    engine: "postgres",
    seed: 1,
    size: { apis: 1, workers: 1 },
    concurrency: 20,
    clients: 8,
    scenes: ["together", "remote", "talk"],
    patienceMs,
    mutant,
    act: async ({ load }) => {
      while (load.clients.length < 16) await sleep(20);
    },
  });
  return faults;
}

describe.skipIf(process.env["TROUPE_TEST_POSTGRES_URL"] === "")("the judge of trials with several nodes", () => {
  it.each([
    ["doublingEffects", ["took place 2 times", "had 2 tasks"], 60_000],
    ["droppingEvents", [" read "], 60_000],
    ["forgettingRuns", ["has not ended"], 8000],
  ] as const)("finds what processes do wrong that are %s", async (mutant, sentences, patienceMs) => {
    const faults = await tryMutant(mutant, patienceMs);
    for (const sentence of sentences) expect(faults).toContainEqual(expect.stringContaining(sentence));
  });
});

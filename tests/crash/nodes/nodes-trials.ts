import { setTimeout as sleep } from "node:timers/promises";
import { planFaults } from "./node-faults.ts";
import type { NodeProcess } from "./node-process.ts";
import type { NodesRecord } from "./nodes-record.ts";
import { tryNodes } from "./try-nodes.ts";
import type { NodesPlan } from "./try-nodes.ts";

/** A trial with two API nodes and two workers. */
const twoAndTwo = {
  size: { apis: 2, workers: 2 },
  concurrency: 50,
  clients: 8,
  scenes: ["talk", "together", "inTurn", "approval", "remote", "talk", "client", "cancel"],
  patienceMs: 120_000,
} as const satisfies Partial<NodesPlan>;

/** Streams that must be in the midst of their text for a kill. */
const leastReading = 2;

/** Kills processes of a service so many times while clients follow its runs, and disturbs its databases. */
export async function tryNodeKills({ engine, kills, seed }: Pick<NodesPlan, "engine" | "seed"> & { kills: number }) {
  return await tryNodes({
    ...twoAndTwo,
    engine,
    seed,
    act: async ({ load, faults, random, searchEngine }) => {
      for (const [index, fault] of planFaults(kills, engine === "redis").entries()) {
        // Some come while a takeover is under way.
        await sleep(random() < 0.6 ? 3500 + random() * 2000 : 300 + random() * 1000);
        await load.untilReading(leastReading);
        if (index % 4 === 0) await searchEngine();
        await faults.apply(fault);
      }
    },
  });
}

/** Kills workers of a service that has more runs than it can perform. */
export async function trySaturation({ kills, seed }: { kills: number; seed: number }): Promise<NodesRecord> {
  return await tryNodes({
    ...twoAndTwo,
    engine: "postgres",
    seed,
    concurrency: 3,
    clients: 40,
    scenes: ["talk"],
    act: async ({ load, faults, fleet }) => {
      for (let index = 0; index < kills; index += 1) {
        await fleet.whole();
        await sleep(1500);
        await load.untilReading(leastReading);
        await faults.apply("workerKills");
        // Until its runs have gone on.
        await sleep(7000);
      }
    },
  });
}

/** Blocks the event loops of live workers for a second, again and again, with a pause behind each block. */
export async function tryBlocks({ blocks, seed }: { blocks: number; seed: number }): Promise<NodesRecord> {
  const workers = 4;
  return await tryNodes({
    ...twoAndTwo,
    size: { ...twoAndTwo.size, workers },
    engine: "postgres",
    seed,
    act: async ({ fleet, random }) => {
      let left = blocks;
      const blockOne = async (worker: NodeProcess): Promise<void> => {
        while (left-- > 0) {
          await worker.block(1000);
          // One block must not follow another at once: together they would be a longer one.
          await sleep(1000 + random() * 1000);
        }
      };
      await fleet.whole();
      await Promise.all(fleet.serving("worker").map(blockOne));
    },
  });
}

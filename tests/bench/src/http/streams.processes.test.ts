import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { StreamTrial } from "./stream-trial.ts";

const count = 5000;
/** A connection to the client and one to the vendor for each stream, and some for the process itself. */
const descriptors = 2 * count + 500;
const watchMs = 10_000;
/** Ten thousand connections take minutes where other processes have most of the machine. */
const slowestMs = 1_800_000;

it(
  `a server has ${count} slow streams at once without a failure, and nothing is left when all are cut`,
  async () => {
    const limit = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
    expect(
      limit === "unlimited" || Number(limit) >= descriptors,
      `The server needs ${descriptors} descriptors and the system gives ${limit}: raise it with ulimit -n.`,
    ).toBe(true);
    const trial = await StreamTrial.start("http/router-openai.ts");
    onTestFinished(() => trial.stop());

    const { openMs, cutMs } = await openAndCut(trial);
    expect(cutMs).toBeLessThan(openMs / 2);
    // Their sessions are free: a stream in each of them begins at once.
    expect(await trial.open(100)).toMatchObject({ open: 100, lost: [] });
  },
  slowestMs,
);

/** Opens all streams and cuts them, and returns the processor time of the server for both, in milliseconds. */
async function openAndCut(trial: StreamTrial): Promise<{ openMs: number; cutMs: number }> {
  const openMs = await workDuring(trial, async () => {
    expect(await trial.open(count)).toMatchObject({ open: count, lost: [] });
  });
  await sleep(watchMs);
  const before = await trial.held();
  const cutMs = await workDuring(trial, async () => void (await trial.cut()));
  const after = await trial.held();

  expect(before).toMatchObject({ runs: count, connections: count });
  expect(after).toMatchObject({ runs: 0, connections: 0 });
  expect(await trial.vendorStreams()).toBe(0);
  return { openMs, cutMs };
}

async function workDuring(trial: StreamTrial, work: () => Promise<void>): Promise<number> {
  const before = await trial.workedMs();
  await work();
  return (await trial.workedMs()) - before;
}

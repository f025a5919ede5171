import { ask, startChild, stopChild } from "../child.ts";
import type { Child } from "../child.ts";
import type { LoadOrder, LoadResult } from "../load.ts";
import type { Allocated, HeldOrder } from "../servers/held.ts";
import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { measureFirstToken } from "./measure-first-token.ts";

/** Baseline E, and the server that is measured: router, agent and a provider over HTTP. */
const servers = { E: "servers/baseline-express.ts", router: "http/router-openai.ts" };

const concurrency = 16;
/** Runs of a server before it is measured: until then, code that is not compiled yet allocates more. */
const warmUpRuns = 5000;
const sliceMs = 1000;

/** Prints the time to the first piece of a stream and the bytes that a run allocates, each beside baseline E. */
export async function printEdge(rounds: number): Promise<void> {
  const [express, router] = await measureFirstToken(servers);
  if (express === undefined || router === undefined) throw new Error("A server was not measured.");
  const added = router.roundsMs.map((ms, round) => ms - (express.roundsMs[round] ?? Number.NaN));
  console.log(
    `${toLines([
      ["first piece of a stream", "ms (p50)", "best round"],
      ...[express, router].map(({ name, roundsMs }) => [name, ...medianAndLeast(roundsMs)]),
      ["added within a round", ...medianAndLeast(added)],
    ])}\n`,
  );
  const rows = Object.entries(await measureAllocation(rounds)).map(([name, bytes]) => {
    return [name, (median(bytes) / 1024).toFixed(1)];
  });
  console.log(`${toLines([["allocated per run", "KB (p50)"], ...rows])}\n`);
}

/** Measures the bytes of heap that the servers allocate for a run with a whole answer, by round. */
async function measureAllocation(rounds: number): Promise<Record<string, number[]>> {
  const children: Child[] = [];
  const start = async (file: string, core: number, env: Record<string, string> = {}): Promise<Child> => {
    const child = await startChild(file, core, env);
    children.push(child);
    return child;
  };
  try {
    const vendor = await start("servers/mock-vendor.ts", 1);
    const load = await start("load.ts", 1);
    const bytes: Record<string, number[]> = {};
    const measured: [name: string, server: Child][] = [];
    for (const [name, file] of Object.entries(servers)) {
      measured.push([name, await start(file, 0, { BENCH_VENDOR_URL: vendor.url })]);
    }
    for (const [, server] of measured) {
      for (let runs = 0; runs < warmUpRuns;) runs += (await takeSlice(server, load)).runs;
    }
    for (let round = 0; round < rounds; round++) {
      for (const [name, server] of measured) {
        const { allocatedBytes, runs } = await takeSlice(server, load);
        (bytes[name] ??= []).push(allocatedBytes / runs);
      }
    }
    return bytes;
  } finally {
    for (const child of children) stopChild(child);
  }
}

async function takeSlice(server: Child, load: Child): Promise<{ allocatedBytes: number; runs: number }> {
  await ask(server, { allocation: "begin" } satisfies HeldOrder);
  const order = { url: server.url, request: { path: "/agents/bench/run" }, concurrency, durationMs: sliceMs };
  const { requests } = await ask<LoadResult>(load, order satisfies LoadOrder);
  const { allocatedBytes } = await ask<Allocated>(server, { allocation: "end" } satisfies HeldOrder);
  return { allocatedBytes, runs: requests };
}

function medianAndLeast(values: readonly number[]): string[] {
  return [median(values), Math.min(...values)].map((value) => value.toFixed(3));
}

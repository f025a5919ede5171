import { once } from "node:events";
import { startChild, stopChild } from "./child.ts";
import type { Child } from "./child.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import type { LoadOrder, LoadResult } from "./load.ts";
import { median, percentile } from "./statistics.ts";

/** One server to measure. */
export type Target = { name: string; file: string };

/** What to measure, and how long. */
export type Figure = {
  targets: readonly Target[];
  path: string;
  /** What the cost is counted by: whole requests, or pieces of streams. */
  unit: "requests" | "frames";
  concurrency: number;
  rounds: number;
  durationMs: number;
  /** How long each server is warmed up. @default 1500 */
  warmUpMs?: number;
  /** How many pieces the vendor's stream has. @default 200 */
  chunks?: number;
};

/** One target in one round. */
export type Sample = {
  name: string;
  round: number;
  cpuUsPerUnit: number;
  unitsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
};

const serverCore = 0;
const loadCore = 1;

/**
 * Measures the targets in interleaved rounds: each round visits every target once, so that what else the machine does
 * falls on all of them alike. Servers stay up and warm for the whole time; only one works at a time.
 */
export async function measure(figure: Figure): Promise<Sample[]> {
  const children: Child[] = [];
  const start = async (file: string, core: number, env?: Record<string, string>) => {
    const child = await startChild(file, core, env);
    children.push(child);
    return child;
  };
  try {
    const vendor = await start("servers/mock-vendor.ts", loadCore, { BENCH_CHUNKS: String(figure.chunks ?? 200) });
    const startServer = async (target: Target) => {
      return { target, server: await start(target.file, serverCore, { BENCH_VENDOR_URL: vendor.url }) };
    };
    const [load, ...servers] = await Promise.all([start("load.ts", loadCore), ...figure.targets.map(startServer)]);
    const warmUp = { ...figure, durationMs: figure.warmUpMs ?? 1500 };
    for (const { server } of servers) await order(load, { ...warmUp, url: server.url });
    const samples: Sample[] = [];
    for (let round = 0; round < figure.rounds; round++) {
      for (const { target, server } of servers) samples.push(await sample({ figure, load, target, server, round }));
    }
    return samples;
  } finally {
    for (const child of children) stopChild(child);
  }
}

type Visit = { figure: Figure; load: Child; target: Target; server: Child; round: number };

async function sample({ figure, load, target, server, round }: Visit): Promise<Sample> {
  const before = cpuTimeMs(server.pid);
  const result = await order(load, { ...figure, url: server.url });
  const cpuMs = cpuTimeMs(server.pid) - before;
  const units = result[figure.unit];
  return {
    name: target.name,
    round,
    cpuUsPerUnit: (cpuMs * 1000) / units,
    unitsPerSecond: (units * 1000) / result.elapsedMs,
    p50Ms: median(result.latenciesMs),
    p99Ms: percentile(result.latenciesMs, 99),
  };
}

async function order(load: Child, { url, path, concurrency, durationMs }: LoadOrder): Promise<LoadResult> {
  const over = new AbortController();
  const { signal } = over;
  try {
    const result = once(load.process, "message", { signal });
    const ended = once(load.process, "exit", { signal }).then(() => {
      throw new Error("The load process ended.");
    });
    load.process.send({ url, path, concurrency, durationMs } satisfies LoadOrder);
    const [answer] = (await Promise.race([result, ended])) as [LoadResult];
    return answer;
  } finally {
    over.abort();
  }
}

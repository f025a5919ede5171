import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, startChild, stopChild } from "../child.ts";
import type { Range } from "../costs.ts";
import { measureInProcess } from "../measure-in-process.ts";
import { median } from "../statistics.ts";
import type { LatencyAnswer, LatencyOrder } from "./durable-latency.ts";
import type { Pace } from "./run-kinds.ts";

/** The processor time of a durable run beside that of a plain one. */
export type RunCost = { plainUs: number; durableUs: number; ratio: number; ratioRange: Range };

/** Rounds of a measurement, and how many runs are under way at a time. */
export type Size = { rounds: number; concurrency: number };

/** Runs of a round: enough for a round of some hundred milliseconds. */
function runsPerRound({ chunks, everyMs }: Pace, concurrency: number): number {
  return everyMs > 0 ? concurrency : Math.max(concurrency, Math.round(4000 / (chunks + 20)));
}

/** Measures runs of both kinds in processes of their own, in interleaved rounds. */
export async function measureRuns(pace: Pace, { rounds, concurrency }: Size): Promise<RunCost> {
  return await withFolders(async (folderOf) => {
    const candidates = ["plain", "durable"].map((name) => {
      const env = { ...paceVariables(pace), BENCH_CANDIDATE: name, BENCH_CONCURRENCY: String(concurrency) };
      return { name, file: new URL("durable-work.ts", import.meta.url), env: { ...env, BENCH_FOLDER: folderOf(name) } };
    });
    const unitsPerRound = runsPerRound(pace, concurrency);
    const costs = await measureInProcess({ candidates, baseline: "plain", rounds, unitsPerRound });
    const [plain, durable] = costs;
    if (plain === undefined || durable === undefined) throw new Error("A kind of run was not measured.");
    const { ratio, ratioRange } = durable;
    return { plainUs: plain.cpuUs, durableUs: durable.cpuUs, ratio, ratioRange };
  });
}

/** Measures how long chunks take to their reader, in runs of both kinds in turn within one process. */
export async function measureLatency(pace: Pace, { rounds, concurrency }: Size): Promise<LatencyAnswer> {
  return await withFolders(async (folderOf) => {
    const env = { ...paceVariables(pace), BENCH_FOLDER: folderOf("latency") };
    const child = await startChild(new URL("durable-latency.ts", import.meta.url), 0, env);
    try {
      // The first runs compile what the others use.
      await ask<LatencyAnswer>(child, { rounds: 6, concurrency } satisfies LatencyOrder);
      return await ask<LatencyAnswer>(child, { rounds, concurrency } satisfies LatencyOrder);
    } finally {
      stopChild(child);
    }
  });
}

/** Returns how much later the first chunk of a durable run comes than that of a plain one, by their medians. */
export function firstChunkDelayMs({ plain, durable }: LatencyAnswer): number {
  return median(durable.firstMs) - median(plain.firstMs);
}

function paceVariables({ chunks, everyMs }: Pace): Record<string, string> {
  return { BENCH_CHUNKS: String(chunks), BENCH_EVERY_MS: String(everyMs) };
}

/** Does some work with folders that are removed afterwards. */
async function withFolders<Result>(work: (folderOf: (name: string) => string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  try {
    return await work((name) => mkdtempSync(join(folder, `${name}-`)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import type { HeapAnswer, RoundOrder } from "./answer-rounds.ts";
import { ask, startChild, stopChild } from "./child.ts";
import type { Child } from "./child.ts";
import { toCosts } from "./costs.ts";
import type { Cost, RoundCost } from "./costs.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { toLines, withRange } from "./table.ts";

/** A file that calls `answerRounds`. `env` selects the candidate when several share a file. */
type Candidate = { name: string; file: string | URL; env?: Record<string, string> };

/** Candidates to compare, and the size of the measurement. */
export type Trial = {
  candidates: readonly Candidate[];
  /** The candidate that ratios are taken against. */
  baseline: string;
  rounds: number;
  unitsPerRound: number;
  /** The rounds at the beginning that are not counted. @default 1 */
  warmUps?: number;
};

/** One candidate over all rounds. */
export type InProcessCost = Cost & {
  /** Growth of the heap per unit, measured after collections: memory that a unit leaves behind. */
  heapBytesPerUnit: number;
};

type Running = { name: string; child: Child };

const core = 0;

/** Measures functions, each in a process of its own, in interleaved rounds. The first ones warm up and are not counted. */
export async function measureInProcess(trial: Trial): Promise<InProcessCost[]> {
  const running: Running[] = [];
  try {
    for (const { name, file, env } of trial.candidates)
      running.push({ name, child: await startChild(file, core, env) });
    for (let round = 0; round < (trial.warmUps ?? 1); round++) await takeRound(running, trial, -1);
    const before = await heaps(running);
    const rounds: RoundCost[] = [];
    for (let round = 0; round < trial.rounds; round++) rounds.push(...(await takeRound(running, trial, round)));
    const after = await heaps(running);
    const units = trial.rounds * trial.unitsPerRound;
    return toCosts(rounds, trial.baseline).map((cost) => {
      const grown = (after.get(cost.name) ?? Number.NaN) - (before.get(cost.name) ?? Number.NaN);
      return { ...cost, heapBytesPerUnit: grown / units };
    });
  } finally {
    for (const { child } of running) stopChild(child);
  }
}

async function takeRound(running: readonly Running[], trial: Trial, round: number): Promise<RoundCost[]> {
  const costs: RoundCost[] = [];
  for (const { name, child } of running) {
    const before = cpuTimeMs(child.pid);
    await ask(child, { count: trial.unitsPerRound } satisfies RoundOrder);
    const cpuUsPerUnit = ((cpuTimeMs(child.pid) - before) * 1000) / trial.unitsPerRound;
    costs.push({ name, round, cpuUsPerUnit });
  }
  return costs;
}

async function heaps(running: readonly Running[]): Promise<Map<string, number>> {
  const held = new Map<string, number>();
  for (const { name, child } of running) {
    const { heapBytes } = await ask<HeapAnswer>(child, { heap: true } satisfies RoundOrder);
    held.set(name, heapBytes);
  }
  return held;
}

/** Formats the costs as a table. */
export function toInProcessTable(costs: readonly InProcessCost[], unit: string): string {
  const titles = ["candidate", "ratio to baseline", `CPU us per ${unit}`, `heap bytes per ${unit}`];
  const rows = costs.map(({ name, ratio, ratioRange, cpuUs, heapBytesPerUnit }) => [
    name,
    withRange(ratio, ratioRange, 2),
    cpuUs.toFixed(2),
    heapBytesPerUnit.toFixed(1),
  ]);
  return toLines([titles, ...rows]);
}

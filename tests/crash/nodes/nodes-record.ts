import type { JudgedWrites } from "../trace-writes.ts";
import type { NodesEvidence, StoredRun } from "./evidence.ts";
import type { NodeFaults } from "./node-faults.ts";
import type { NodesLoad } from "./nodes-load.ts";
import { findNeedlessTakeovers, findTakeovers } from "./takeovers.ts";
import type { Fates, Takeover } from "./takeovers.ts";

type Init = {
  evidence: NodesEvidence;
  fates: Fates;
  load: NodesLoad;
  /** A sentence for each broken promise. */
  found: readonly string[];
  repeatedCalls: number;
  faults: NodeFaults;
  searches: number;
  /** The writes of all processes, compared with the table of transitions. */
  judged: JudgedWrites;
};

/** The findings of a trial of a service on several machines. */
export class NodesRecord {
  readonly faults: readonly string[];
  readonly takeovers: readonly Takeover[];
  /** Runs that were overtaken though their process lived. */
  readonly needless: readonly string[];
  /** Runs that went on only because the sweep submitted them: the engine had no job of them any more. */
  readonly sweptRuns: readonly string[];
  /** Runs by their end. */
  readonly ends: Readonly<Record<string, number>>;
  readonly #init: Init;

  constructor(init: Init) {
    const { evidence, fates, found } = init;
    this.#init = init;
    this.faults = found;
    this.takeovers = findTakeovers(evidence.runs, fates);
    this.needless = findNeedlessTakeovers(evidence.runs, fates);
    this.sweptRuns = sweptRunsOf(evidence.runs, fates);
    const ends = Map.groupBy(evidence.runs, ({ status, error }) => error?.code ?? status);
    this.ends = Object.fromEntries(Array.from(ends, ([end, runs]) => [end, runs.length]));
  }

  /** Milliseconds that takeovers took with a free slot, the shortest first. */
  get freeMs(): number[] {
    return this.takeovers.flatMap(({ ms, wasFree }) => (wasFree ? [ms] : [])).toSorted((one, other) => one - other);
  }

  /** A sentence if half of the takeovers with a free slot, of five or more, took longer than that. */
  lateTakeovers(limitMs: number): string[] {
    const times = this.freeMs;
    const median = times[Math.floor(times.length / 2)] ?? 0;
    if (times.length < 5 || median <= limitMs) return [];
    return [`Takeovers with a free slot took ${median} ms in the middle. Expected at most ${limitMs} ms.`];
  }

  /** Formats the figures. */
  toLines(): string[] {
    const { faults, load, evidence, repeatedCalls, searches, judged } = this.#init;
    const { counts, kills } = faults;
    const all = this.takeovers.map(({ ms }) => ms).toSorted((one, other) => one - other);
    const perKill = kills === 0 ? 0 : repeatedCalls / kills;
    const doubled = evidence.effects.length - new Set(evidence.effects.map(({ key }) => key)).size;
    const tasks = evidence.effects.filter(({ tool }) => tool === "clerk").length;
    return [
      `${kills} kills: ${JSON.stringify(counts)}`,
      `runs by their end: ${JSON.stringify(this.ends)}; clients: ${JSON.stringify(load.counts)}`,
      `effects: ${new Set(evidence.effects.map(({ key }) => key)).size}, and ${doubled} calls again with the key of one; ${tasks} tasks of the remote member`,
      `takeovers with a free slot: ${describe(this.freeMs)}; all takeovers: ${describe(all)}`,
      `model calls made again: ${repeatedCalls}, ${perKill.toFixed(2)} for each kill`,
      `jobs that needed the sweep: ${this.sweptRuns.length} of ${evidence.runs.length}`,
      `searches of the engine for a key, a prompt and an answer: ${searches}`,
      `${judged.writes} writes of ${judged.kinds} kinds, compared with the table of transitions`,
      `promises broken: ${this.faults.length}`,
    ];
  }
}

/** Formats some times, the shortest first. */
function describe(times: readonly number[]): string {
  if (times.length === 0) return "none";
  const seconds = (ms = 0) => `${(ms / 1000).toFixed(1)} s`;
  return `${times.length}, median ${seconds(times[Math.floor(times.length / 2)])}, at most ${seconds(times.at(-1))}`;
}

function sweptRunsOf(runs: readonly StoredRun[], { processes }: Fates): string[] {
  const lastAttempts = new Map(
    runs.map(({ runId, entries }) => [runId, Number(entries.findLast(({ t }) => t === "attempt")?.["at"] ?? 0)]),
  );
  const swept = processes.flatMap((process) => process.swept);
  const needed = swept.filter(({ swept: runId, hadJob, at }) => !hadJob && (lastAttempts.get(runId) ?? 0) > at);
  return [...new Set(needed.map(({ swept: runId }) => runId))];
}

import { calibrate } from "./calibrate.ts";
import { ask, startChild, stopChild } from "./child.ts";
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
  /** The first rounds warm the servers up and are not counted. */
  warmUpRounds: number;
  /** How many turns each server has in a round. */
  turns: number;
  /** How long a turn is: so short that all servers, and the calibration, meet the same machine. */
  turnMs: number;
  /** How many pieces the vendor's stream has. @default 200 */
  chunks?: number;
};

/** One target in one round. */
export type Sample = {
  name: string;
  round: number;
  cpuUsPerUnit: number;
  /** The same, on a machine where the calibration takes 100 microseconds. */
  calibratedUsPerUnit: number;
  unitsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
};

/** A server that is up, and how it is asked. */
type Station = Pick<Figure, "path" | "unit"> & { name: string; server: Child };

/** What the harness talks to while it measures. */
type Setup = { figure: Figure; load: Child; calibration: Station; targets: Station[] };

/** One turn at a station, or several put together. */
type Turn = { cpuMs: number; units: number; elapsedMs: number; latenciesMs: number[] };

/** Starts a child that ends with the measurement. */
type Start = (file: string, core: number, env?: Record<string, string>) => Promise<Child>;

const serverCore = 0;
const loadCore = 1;

/**
 * Measures the targets in interleaved rounds of short turns, so that what else the machine does falls on all of them and on
 * the calibration alike. Servers stay up and warm for the whole time; only one works at a time.
 */
export async function measure(figure: Figure): Promise<Sample[]> {
  const children: Child[] = [];
  const start: Start = async (file, core, env) => {
    const child = await startChild(file, core, env);
    children.push(child);
    return child;
  };
  try {
    const setup = await setUp(figure, start);
    const samples: Sample[] = [];
    for (let round = -figure.warmUpRounds; round < figure.rounds; round++) {
      const taken = await takeRound(setup, round);
      if (round >= 0) samples.push(...taken);
    }
    return samples;
  } finally {
    for (const child of children) stopChild(child);
  }
}

async function setUp(figure: Figure, start: Start): Promise<Setup> {
  const vendor = await start("servers/mock-vendor.ts", loadCore, { BENCH_CHUNKS: String(figure.chunks ?? 200) });
  const station = async ({ name, file }: Target): Promise<Station> => {
    const server = await start(file, serverCore, { BENCH_VENDOR_URL: vendor.url });
    return { name, server, path: figure.path, unit: figure.unit };
  };
  const [load, calibration, ...targets] = await Promise.all([
    start("load.ts", loadCore),
    station({ name: "calibration", file: "servers/calibration.ts" }),
    ...figure.targets.map(station),
  ]);
  return { figure, load, calibration: { ...calibration, path: "/", unit: "requests" }, targets };
}

async function takeRound(setup: Setup, round: number): Promise<Sample[]> {
  const { figure, calibration, targets } = setup;
  const sums = new Map([calibration, ...targets].map((station): [Station, Turn] => [station, noTurn()]));
  for (let turn = 0; turn < figure.turns; turn++) {
    for (const [station, sum] of sums) addTurn(sum, await takeTurn(setup, station));
  }
  const calibrationUs = costUs(sums.get(calibration) ?? noTurn());
  return targets.map((target) => {
    const sum = sums.get(target) ?? noTurn();
    const calibratedUsPerUnit = calibrate(costUs(sum), calibrationUs);
    return { name: target.name, round, calibratedUsPerUnit, ...toMeasures(sum) };
  });
}

async function takeTurn({ figure, load }: Setup, { server, path, unit }: Station): Promise<Turn> {
  const { concurrency, turnMs: durationMs } = figure;
  const before = cpuTimeMs(server.pid);
  const work: LoadOrder = { url: server.url, path, concurrency, durationMs };
  const { [unit]: units, elapsedMs, latenciesMs } = await ask<LoadResult>(load, work);
  return { cpuMs: cpuTimeMs(server.pid) - before, units, elapsedMs, latenciesMs };
}

function noTurn(): Turn {
  return { cpuMs: 0, units: 0, elapsedMs: 0, latenciesMs: [] };
}

function addTurn(sum: Turn, turn: Turn): void {
  sum.cpuMs += turn.cpuMs;
  sum.units += turn.units;
  sum.elapsedMs += turn.elapsedMs;
  sum.latenciesMs.push(...turn.latenciesMs);
}

function costUs({ cpuMs, units }: Turn): number {
  return (cpuMs * 1000) / units;
}

function toMeasures(sum: Turn): Omit<Sample, "name" | "round" | "calibratedUsPerUnit"> {
  return {
    cpuUsPerUnit: costUs(sum),
    unitsPerSecond: (sum.units * 1000) / sum.elapsedMs,
    p50Ms: median(sum.latenciesMs),
    p99Ms: percentile(sum.latenciesMs, 99),
  };
}

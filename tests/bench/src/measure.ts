import { calibrate } from "./costs.ts";
import { ask, startChild, stopChild } from "./child.ts";
import type { Child } from "./child.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import type { LoadOrder, LoadRequest, LoadResult } from "./load.ts";
import { median, percentile } from "./statistics.ts";

/** One server to measure: a file beside this one, or one named by its URL. It may speak another protocol than the others. */
export type Target = { name: string; file: string | URL; request?: LoadRequest };

/** Targets to measure, and the size of the measurement. */
export type Figure = {
  targets: readonly Target[];
  path: string;
  /** Unit of the cost: whole requests, or pieces of streams. */
  unit: "requests" | "frames";
  concurrency: number;
  rounds: number;
  /** The first rounds warm the servers up and are not counted. */
  warmUpRounds: number;
  /** Number of slices of each server in a round. */
  slices: number;
  /** Milliseconds of a slice: few, so that all servers and the calibration meet the same machine. */
  sliceMs: number;
  /** Number of pieces of the vendor's stream. @default 200 */
  chunks?: number;
  /** The name of a target, to which the others' ratios are printed too. */
  beside?: string;
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

/** A running server, and the request to it. */
type Station = Pick<Figure, "unit"> & { name: string; server: Child; request: LoadRequest };

/** The processes of a measurement. */
type Setup = { figure: Figure; load: Child; calibration: Station; targets: Station[] };

/** One slice at a station, or the sum of several. */
type Slice = { cpuMs: number; units: number; elapsedMs: number; latenciesMs: number[] };

/** Starts a child that ends with the measurement. */
type Start = (file: string | URL, core: number, env?: Record<string, string>) => Promise<Child>;

const serverCore = 0;
const loadCore = 1;

/**
 * Measures the targets in interleaved rounds of short slices, so that other load on the machine affects all of them and the
 * calibration alike. Servers stay up and warm for the whole time; only one works at a time.
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
  const station = async ({ name, file, request = { path: figure.path } }: Target): Promise<Station> => {
    const server = await start(file, serverCore, { BENCH_VENDOR_URL: vendor.url });
    return { name, server, request, unit: figure.unit };
  };
  const [load, calibration, ...targets] = await Promise.all([
    start("load.ts", loadCore),
    station({ name: "calibration", file: "servers/calibration.ts" }),
    ...figure.targets.map(station),
  ]);
  return { figure, load, calibration: { ...calibration, request: { path: "/" }, unit: "requests" }, targets };
}

async function takeRound(setup: Setup, round: number): Promise<Sample[]> {
  const { figure, calibration, targets } = setup;
  const sums = new Map([calibration, ...targets].map((station): [Station, Slice] => [station, noSlice()]));
  for (let slice = 0; slice < figure.slices; slice++) {
    for (const [station, sum] of sums) addSlice(sum, await takeSlice(setup, station));
  }
  const calibrationUs = costUs(sums.get(calibration) ?? noSlice());
  return targets.map((target) => {
    const sum = sums.get(target) ?? noSlice();
    const calibratedUsPerUnit = calibrate(costUs(sum), calibrationUs);
    return { name: target.name, round, calibratedUsPerUnit, ...toMeasures(sum) };
  });
}

async function takeSlice({ figure, load }: Setup, { server, request, unit }: Station): Promise<Slice> {
  const { concurrency, sliceMs: durationMs } = figure;
  const before = cpuTimeMs(server.pid);
  const work: LoadOrder = { url: server.url, request, concurrency, durationMs };
  const { [unit]: units, elapsedMs, latenciesMs } = await ask<LoadResult>(load, work);
  return { cpuMs: cpuTimeMs(server.pid) - before, units, elapsedMs, latenciesMs };
}

function noSlice(): Slice {
  return { cpuMs: 0, units: 0, elapsedMs: 0, latenciesMs: [] };
}

function addSlice(sum: Slice, slice: Slice): void {
  sum.cpuMs += slice.cpuMs;
  sum.units += slice.units;
  sum.elapsedMs += slice.elapsedMs;
  sum.latenciesMs.push(...slice.latenciesMs);
}

function costUs({ cpuMs, units }: Slice): number {
  return (cpuMs * 1000) / units;
}

function toMeasures(sum: Slice): Omit<Sample, "name" | "round" | "calibratedUsPerUnit"> {
  return {
    cpuUsPerUnit: costUs(sum),
    unitsPerSecond: (sum.units * 1000) / sum.elapsedMs,
    p50Ms: median(sum.latenciesMs),
    p99Ms: percentile(sum.latenciesMs, 99),
  };
}

import type { HeapAnswer } from "../answer-rounds.ts";
import { ask, startChild, stopChild } from "../child.ts";
import type { Child } from "../child.ts";
import { toCosts } from "../costs.ts";
import type { RoundCost } from "../costs.ts";
import { cpuTimeMs } from "../cpu-time.ts";
import type { LoadOrder, LoadResult } from "../load.ts";
import { toLines, withRange } from "../table.ts";

const off = "off";

/**
 * The telemetry of each server, and its collector: one that answers, or one that nothing listens for. Spans by hand are
 * what a program without `@troupe/otel` would write: as many, with as many attributes. They show what the SDK costs.
 */
const kinds = {
  [off]: { telemetry: "off", collector: "dead" },
  "on, without an SDK": { telemetry: "none", collector: "dead" },
  "spans by hand, batch exporter": { telemetry: "hand", collector: "alive" },
  "on, batch exporter": { telemetry: "on", collector: "alive" },
  "on, dead collector": { telemetry: "on", collector: "dead" },
};

type Figure = { title: string; path: string; unit: "requests" | "frames" };

const figures: readonly Figure[] = [
  { title: "run", path: "/agents/bench/run", unit: "requests" },
  { title: "chunk of 200", path: "/agents/bench/stream", unit: "frames" },
];

/** The cost of a server in a round, and its heap afterwards. */
type Round = RoundCost & HeapAnswer;

const concurrency = 16;
const warmUpRounds = 10;
/** Milliseconds of load in a round: few, so that all servers meet the same machine. */
const roundMs = 60;
/** A port that refuses connections. */
const deadUrl = "http://127.0.0.1:9";

/** Measures a service with and without telemetry, in alternating rounds, and prints the costs of a run and of a chunk. */
export async function printTelemetry(rounds: number): Promise<void> {
  const children: Child[] = [];
  const start = async (file: string, core: number, env: Record<string, string> = {}): Promise<Child> => {
    const child = await startChild(file, core, env);
    children.push(child);
    return child;
  };
  try {
    const load = await start("load.ts", 1);
    const vendor = await start("servers/mock-vendor.ts", 1);
    const alive = await start("telemetry/collector.ts", 1);
    const servers = new Map<string, Child>();
    for (const [name, { telemetry, collector }] of Object.entries(kinds)) {
      const url = collector === "alive" ? alive.url : deadUrl;
      const env = { BENCH_TELEMETRY: telemetry, BENCH_COLLECTOR: collector, BENCH_COLLECTOR_URL: url };
      servers.set(name, await start("telemetry/traced-service.ts", 0, { ...env, BENCH_VENDOR_URL: vendor.url }));
    }
    for (const figure of figures) {
      const taken: Round[] = [];
      for (let round = -warmUpRounds; round < rounds; round++)
        taken.push(...(await takeRound({ figure, load, servers }, round)));
      const counted = taken.filter(({ round }) => round >= 0);
      console.log(`${toTable(figure.title, counted)}\n`);
    }
  } finally {
    for (const child of children) stopChild(child);
  }
}

type Setup = { figure: Figure; load: Child; servers: ReadonlyMap<string, Child> };

/** Loads each server for a moment. The exports that the load causes are a part of its cost. */
async function takeRound({ figure: { path, unit }, load, servers }: Setup, round: number): Promise<Round[]> {
  const taken: Round[] = [];
  for (const [name, server] of servers) {
    const before = cpuTimeMs(server.pid);
    const order: LoadOrder = { url: server.url, request: { path }, concurrency, durationMs: roundMs };
    const { [unit]: units } = await ask<LoadResult>(load, order);
    await ask(server, { flush: true });
    const cpuUsPerUnit = ((cpuTimeMs(server.pid) - before) * 1000) / units;
    taken.push({ name, round, cpuUsPerUnit, ...(await ask<HeapAnswer>(server, { heap: true })) });
  }
  return taken;
}

function toTable(title: string, taken: readonly Round[]): string {
  const rows = toCosts(taken, off).map(({ name, ratio, ratioRange, cpuUs }) => {
    const heaps = taken.filter((one) => one.name === name).map(({ heapBytes }) => heapBytes);
    const gained = ((heaps.at(-1) ?? Number.NaN) - (heaps[0] ?? Number.NaN)) / 1e6;
    return [name, withRange(ratio, ratioRange, 3), cpuUs.toFixed(2), gained.toFixed(2)];
  });
  return toLines([[title, "ratio to off", "CPU us", "MB of heap gained"], ...rows]);
}

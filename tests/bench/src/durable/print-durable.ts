import { withRange, toLines } from "../table.ts";
import { median, percentile } from "../statistics.ts";
import { firstChunkDelayMs, measureLatency, measureRuns } from "./measure-durable.ts";
import type { RunCost } from "./measure-durable.ts";
import type { Pace } from "./run-kinds.ts";

const short: Pace = { chunks: 1, everyMs: 0 };
const paces: Readonly<Record<string, Pace>> = {
  "1 chunk": short,
  "200 chunks at once": { chunks: 200, everyMs: 0 },
  "200 chunks, 5 ms apart": { chunks: 200, everyMs: 5 },
};
const concurrencies = [16, 1];
/** The pace of a fast model, at which the latency of chunks is measured. */
const spoken: Pace = { chunks: 30, everyMs: 20 };

/** Measures durable runs beside plain ones that store their session, on SQLite, and prints their costs and latencies. */
export async function printDurable(rounds: number): Promise<void> {
  for (const concurrency of concurrencies) {
    const rows: string[][] = [];
    let least: RunCost | undefined;
    for (const [name, pace] of Object.entries(paces)) {
      const cost = await measureRuns(pace, { rounds: pace.everyMs > 0 ? Math.ceil(rounds / 3) : rounds, concurrency });
      least ??= cost;
      const { plainUs, durableUs, ratio, ratioRange } = cost;
      rows.push([name, plainUs.toFixed(0), durableUs.toFixed(0), withRange(ratio, ratioRange, 2)]);
      if (pace !== short) rows.push(perChunk(`  each more chunk`, { cost, least, chunks: pace.chunks - 1 }));
    }
    const titles = [`CPU us, ${concurrency} at a time`, "plain", "durable", "ratio"];
    console.log(`${toLines([titles, ...rows])}\n`);
    await printLatency(rounds, concurrency);
  }
}

function perChunk(name: string, { cost, least, chunks }: { cost: RunCost; least: RunCost; chunks: number }): string[] {
  const plainUs = (cost.plainUs - least.plainUs) / chunks;
  const durableUs = (cost.durableUs - least.durableUs) / chunks;
  return [name, plainUs.toFixed(2), durableUs.toFixed(2), (durableUs / plainUs).toFixed(2)];
}

async function printLatency(rounds: number, concurrency: number): Promise<void> {
  const latencies = await measureLatency(spoken, { rounds, concurrency });
  const rows = Object.entries(latencies).flatMap(([kind, { firstMs, laterMs }]) =>
    Object.entries({ "first chunk": firstMs, "later chunks": laterMs }).map(([what, ms]) => [
      `${kind}, ${what}`,
      ...[median(ms), percentile(ms, 90), percentile(ms, 99), Math.max(...ms)].map((each) => each.toFixed(1)),
    ]),
  );
  const titles = [`ms to the reader, ${concurrency} at a time`, "p50", "p90", "p99", "most"];
  console.log(toLines([titles, ...rows]));
  console.log(`first chunk later by ${firstChunkDelayMs(latencies).toFixed(1)} ms (p50)\n`);
}

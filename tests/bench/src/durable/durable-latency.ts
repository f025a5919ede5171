import { makeRuns, openRuns } from "./run-kinds.ts";
import type { Pace, RunKindName } from "./run-kinds.ts";

/** An order of the measurement: runs of both kinds in turn, so many at a time, a number of times. */
export type LatencyOrder = { rounds: number; concurrency: number };

/** Milliseconds until the first chunks, from the call on, and of the later chunks, from the model to the reader. */
export type Latencies = { firstMs: number[]; laterMs: number[] };
/** Those of each kind of run. */
export type LatencyAnswer = Record<RunKindName, Latencies>;

const { BENCH_FOLDER = "", BENCH_CHUNKS, BENCH_EVERY_MS } = process.env;
const pace: Pace = { chunks: Number(BENCH_CHUNKS), everyMs: Number(BENCH_EVERY_MS) };
const runs = await openRuns(BENCH_FOLDER, pace);

async function take(kind: RunKindName, concurrency: number): Promise<Latencies> {
  const latencies: Latencies = { firstMs: [], laterMs: [] };
  const one = async (): Promise<void> => {
    const startedAt = performance.now();
    let isFirst = true;
    await runs[kind]((text) => {
      const now = performance.now();
      // Without the time that the model takes for its first chunk.
      if (isFirst) latencies.firstMs.push(now - startedAt - pace.everyMs);
      else latencies.laterMs.push(now - Number(text));
      isFirst = false;
    });
  };
  await makeRuns(one, concurrency, concurrency);
  return latencies;
}

async function obey({ rounds, concurrency }: LatencyOrder): Promise<void> {
  const answer: LatencyAnswer = { plain: { firstMs: [], laterMs: [] }, durable: { firstMs: [], laterMs: [] } };
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? (["plain", "durable"] as const) : (["durable", "plain"] as const)) {
      const { firstMs, laterMs } = await take(kind, concurrency);
      answer[kind].firstMs.push(...firstMs);
      answer[kind].laterMs.push(...laterMs);
    }
  }
  process.send?.(answer);
}

process.on("message", (order: LatencyOrder) => void obey(order));
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });

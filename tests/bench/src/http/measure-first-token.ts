import { ask, startChild, stopChild } from "../child.ts";
import type { Child } from "../child.ts";
import { median } from "../statistics.ts";
import type { FirstTokenAnswer, FirstTokenOrder } from "./first-token.ts";

const rounds = 12;
const warmUpRounds = 12;
const streamsPerRound = 60;

/** Median time of one server until the first piece of a stream, by round. */
export type FirstToken = { name: string; roundsMs: number[] };

type Station = FirstToken & { url: string };

/** Asks the servers for one stream after the other, in interleaved rounds. */
export async function measureFirstToken(servers: Readonly<Record<string, string>>): Promise<FirstToken[]> {
  const children: Child[] = [];
  const start = async (file: string, core: number, env: Record<string, string> = {}): Promise<Child> => {
    const child = await startChild(file, core, env);
    children.push(child);
    return child;
  };
  try {
    const vendor = await start("servers/mock-vendor.ts", 1, { BENCH_CHUNKS: "3" });
    const client = await start("http/first-token.ts", 1);
    const stations: Station[] = [];
    for (const [name, file] of Object.entries(servers)) {
      stations.push({ name, roundsMs: [], url: (await start(file, 0, { BENCH_VENDOR_URL: vendor.url })).url });
    }
    for (let round = 0; round < warmUpRounds + rounds; round++) await takeRound(client, stations);
    return stations.map(({ name, roundsMs }) => ({ name, roundsMs: roundsMs.slice(warmUpRounds) }));
  } finally {
    for (const child of children) stopChild(child);
  }
}

async function takeRound(client: Child, stations: readonly Station[]): Promise<void> {
  for (const { url, roundsMs } of stations) {
    const order = { url, count: streamsPerRound } satisfies FirstTokenOrder;
    roundsMs.push(median((await ask<FirstTokenAnswer>(client, order)).timesMs));
  }
}

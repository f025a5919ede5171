import { once } from "node:events";
import { startChild, stopChild } from "./child.ts";
import type { Child } from "./child.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { clients, type ClientOrder } from "./http-client.ts";
import { median } from "./statistics.ts";

/**
 * `pnpm --filter @troupe-internal/bench http-clients`: what one call to a vendor costs its client, as processor
 * time of the client's own process, in interleaved rounds. Ratios are taken to undici's `request` in the same round.
 */
const rounds = 11;
const floor = "undici request";
const prompt = { model: "m", messages: [{ role: "user", content: "word ".repeat(200) }] };

const figures = [
  { name: "a whole answer, one at a time", stream: false, count: 1500, concurrency: 1 },
  { name: "a whole answer, 16 at a time", stream: false, count: 4000, concurrency: 16 },
  { name: "200 pieces, 16 at a time", stream: true, count: 150, concurrency: 16 },
];

async function costUs(client: Child, order: ClientOrder): Promise<number> {
  const before = cpuTimeMs(client.pid);
  client.process.send(order);
  await once(client.process, "message");
  return ((cpuTimeMs(client.pid) - before) * 1000) / order.count;
}

const vendor = await startChild("servers/mock-vendor.ts", 1);
const started = new Map<string, Child>();
for (const name of Object.keys(clients)) {
  started.set(name, await startChild("http-client.ts", 0, { BENCH_CLIENT: name }));
}

for (const { name, stream, ...load } of figures) {
  const order = { ...load, url: `${vendor.url}/v1/chat/completions`, body: JSON.stringify({ ...prompt, stream }) };
  const costs = new Map([...started.keys()].map((client): [string, number[]] => [client, []]));
  for (const child of started.values()) await costUs(child, order);
  for (let round = 0; round < rounds; round++) {
    for (const [client, child] of started) costs.get(client)?.push(await costUs(child, order));
  }
  console.log(name);
  for (const [client, all] of costs) {
    const ratio = median(all.map((cost, round) => cost / (costs.get(floor)?.[round] ?? Number.NaN)));
    console.log(`  ${client.padEnd(16)} ${median(all).toFixed(0).padStart(6)} us CPU  ${ratio.toFixed(2)}x`);
  }
}

for (const child of [vendor, ...started.values()]) stopChild(child);

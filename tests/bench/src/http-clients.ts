import { startChild, stopChild } from "./child.ts";
import { clients } from "./http-client.ts";
import type { ClientLoad } from "./http-client.ts";
import { measureInProcess, toInProcessTable } from "./measure-in-process.ts";

/**
 * `pnpm --filter @troupe-internal/bench http-clients`: measures the processor time of one call to a vendor in the client's
 * process, in interleaved rounds. Ratios are taken to undici's `request` in the same round.
 */
const prompt = { model: "m", messages: [{ role: "user", content: "word ".repeat(200) }] };

const figures = [
  { name: "a whole answer, one at a time", stream: false, unitsPerRound: 1500, concurrency: 1 },
  { name: "a whole answer, 16 at a time", stream: false, unitsPerRound: 4000, concurrency: 16 },
  { name: "200 pieces, 16 at a time", stream: true, unitsPerRound: 150, concurrency: 16 },
];

const vendor = await startChild("servers/mock-vendor.ts", 1);
const url = `${vendor.url}/v1/chat/completions`;

for (const { name, stream, unitsPerRound, concurrency } of figures) {
  const load: ClientLoad = { url, body: JSON.stringify({ ...prompt, stream }), concurrency };
  const candidates = Object.keys(clients).map((client) => {
    const env = { BENCH_CLIENT: client, BENCH_CLIENT_LOAD: JSON.stringify(load) };
    return { name: client, file: "http-client.ts", env };
  });
  const costs = await measureInProcess({ candidates, baseline: "undici request", rounds: 11, unitsPerRound });
  console.log(`${name}\n${toInProcessTable(costs, "call")}\n`);
}

stopChild(vendor);

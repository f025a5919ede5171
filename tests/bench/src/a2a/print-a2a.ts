import { startChild, stopChild } from "../child.ts";
import type { Child } from "../child.ts";
import { toCosts } from "../costs.ts";
import type { RoundCost } from "../costs.ts";
import { cpuTimeMs } from "../cpu-time.ts";
import { toLines, withRange } from "../table.ts";

/** The number of chunks of a stream, milliseconds before each, and the streams of a round: one after the other, or at once. */
type Pace = { chunks: number; everyMs: number; streams: number };

const candidates = ["http", "http, stored", "a2a"];
const paces: Readonly<Record<string, Pace>> = {
  "1,000 chunks at once": { chunks: 1000, everyMs: 0, streams: 20 },
  "10,000 chunks at once": { chunks: 10_000, everyMs: 0, streams: 4 },
  "200 chunks, 2 ms apart": { chunks: 200, everyMs: 2, streams: 32 },
};
const warmUpRounds = 3;

/** Measures the processor time of a chunk over A2A beside HTTP, in short and in long streams, and prints it. */
export async function printA2A(rounds: number): Promise<void> {
  for (const [name, pace] of Object.entries(paces)) {
    const costs = toCosts(await measure(pace, rounds), "http");
    const titles = [name, "ratio to http", "CPU us per chunk"];
    const rows = costs.map(({ name: server, ratio, ratioRange, cpuUs }) => {
      return [server, withRange(ratio, ratioRange, 2), cpuUs.toFixed(2)];
    });
    console.log(`${toLines([titles, ...rows])}\n`);
  }
}

/** Measures each candidate in a process of its own, in interleaved rounds. The first rounds warm up and are not counted. */
async function measure(pace: Pace, rounds: number): Promise<RoundCost[]> {
  const running: [name: string, child: Child][] = [];
  try {
    for (const name of candidates) {
      const env = { BENCH_CANDIDATE: name, BENCH_CHUNKS: String(pace.chunks), BENCH_EVERY_MS: String(pace.everyMs) };
      running.push([name, await startChild("a2a/serve-streams.ts", 0, env)]);
    }
    const taken: RoundCost[] = [];
    for (let round = -warmUpRounds; round < rounds; round++) {
      for (const [name, child] of running)
        taken.push({ name, round, cpuUsPerUnit: await takeRound(name, child, pace) });
    }
    return taken.filter(({ round }) => round >= 0);
  } finally {
    for (const [, child] of running) stopChild(child);
  }
}

async function takeRound(name: string, { pid, url }: Child, { chunks, everyMs, streams }: Pace): Promise<number> {
  const read = name === "a2a" ? readA2A : readHttp;
  const before = cpuTimeMs(pid);
  if (everyMs > 0) await Promise.all(Array.from({ length: streams }, () => read(url)));
  else for (let stream = 0; stream < streams; stream++) await read(url);
  return ((cpuTimeMs(pid) - before) * 1000) / (chunks * streams);
}

async function readHttp(url: string): Promise<void> {
  await readStream(`${url}/agents/bench/stream`, { input: "Hi" }, '"finish"');
}

async function readA2A(url: string): Promise<void> {
  const message = { messageId: "1", role: "ROLE_USER", parts: [{ text: "Hi" }] };
  const body = { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message } };
  await readStream(`${url}/`, body, "TASK_STATE_COMPLETED");
}

/** Reads a stream to its end, which has to say that all went well. */
async function readStream(url: string, body: object, end: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  let last = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) last = (last + decoder.decode(piece as Uint8Array)).slice(-4096);
  if (!last.includes(end)) throw new Error(`The stream did not end as expected: ${last.slice(-300)}`);
}

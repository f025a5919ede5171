import { Pool } from "undici";

/** An order of the measurement: ask for a number of streams, one after the other. */
export type FirstTokenOrder = { url: string; count: number };
/** Milliseconds of each stream until its first piece. */
export type FirstTokenAnswer = { timesMs: number[] };

const body = JSON.stringify({ input: "Tell me something." });
const pools = new Map<string, Pool>();

async function firstToken(pool: Pool): Promise<number> {
  const startedAt = performance.now();
  const headers = { "content-type": "application/json" };
  const answer = await pool.request({ path: "/agents/bench/stream", method: "POST", headers, body });
  let tookMs = Number.NaN;
  for await (const bytes of answer.body) {
    if (Number.isNaN(tookMs) && (bytes as Buffer).includes("data: {")) tookMs = performance.now() - startedAt;
  }
  return tookMs;
}

async function obey({ url, count }: FirstTokenOrder): Promise<void> {
  const pool = pools.get(url) ?? new Pool(url, { connections: 1 });
  pools.set(url, pool);
  const timesMs: number[] = [];
  for (let at = 0; at < count; at++) timesMs.push(await firstToken(pool));
  process.send?.({ timesMs } satisfies FirstTokenAnswer);
}

process.on("message", (order: FirstTokenOrder) => void obey(order));
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });

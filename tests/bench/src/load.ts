import { Pool } from "undici";

/** A request to a server: its path, and its body, by default that of our own endpoints. */
export type LoadRequest = { path: string; body?: object };

/** An order of the harness to the load process. */
export type LoadOrder = { url: string; request: LoadRequest; concurrency: number; durationMs: number };

/** Requests, pieces of streams, and the milliseconds of each request. */
export type LoadResult = { requests: number; frames: number; elapsedMs: number; latenciesMs: number[] };

const input = "Tell me something.";

/** Connections outlive an order: slices are short, and opening connections is not measured. */
const pools = new Map<string, Pool>();

function poolTo(url: string, connections: number): Pool {
  const pool = pools.get(url) ?? new Pool(url, { connections });
  pools.set(url, pool);
  return pool;
}

/** Keeps `concurrency` requests in flight for `durationMs`. */
async function load({ url, request, concurrency, durationMs }: LoadOrder): Promise<LoadResult> {
  const pool = poolTo(url, concurrency);
  const result: LoadResult = { requests: 0, frames: 0, elapsedMs: 0, latenciesMs: [] };
  const start = performance.now();
  const { path, body = { input } } = request;
  const sent = { path, body: JSON.stringify(body) };
  const worker = async (): Promise<void> => {
    while (performance.now() - start < durationMs) await one(pool, sent, result);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  result.elapsedMs = performance.now() - start;
  return result;
}

async function one(pool: Pool, { path, body }: { path: string; body: string }, result: LoadResult): Promise<void> {
  const start = performance.now();
  const answer = await pool.request({ path, method: "POST", headers: { "content-type": "application/json" }, body });
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${await answer.body.text()}`);
  const text = await answer.body.text();
  result.frames += text.split("data: ").length - 1;
  result.requests += 1;
  result.latenciesMs.push(performance.now() - start);
}

process.on("message", (order: LoadOrder) => {
  void load(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });

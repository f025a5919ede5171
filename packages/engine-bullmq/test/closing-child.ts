import { BullMqEngine } from "@troupe/engine-bullmq";

/**
 * A program that ends by itself: `closing-child.ts [<connection as JSON> <queue>]`. Performs one job, closes its engine, and
 * writes `{ leftMs }` when it ends: the milliseconds that it lived on. Without a connection it has no engine.
 */
const [connection, queue = ""] = process.argv.slice(2);

async function performOne(options: object): Promise<void> {
  const engine = new BullMqEngine({ ...options, queue });
  const { promise: performed, resolve } = Promise.withResolvers<void>();
  await engine.serve(async () => resolve(), { concurrency: 1 });
  await engine.submit({ runId: "a", activation: 1 });
  await performed;
  await engine.close();
}

if (connection !== undefined) await performOne(JSON.parse(connection) as object);
const closedAt = performance.now();
process.on("exit", () => process.stdout.write(JSON.stringify({ leftMs: performance.now() - closedAt })));
// The channel to the parent is the only thing of the test that keeps this process alive.
if (process.connected) process.disconnect();

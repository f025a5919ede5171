import { BullMqEngine } from "@troupe/engine-bullmq";

/**
 * A process that serves a queue: `engine-child.ts <connection as JSON> <queue>`. Sends `{ started }` and `{ aborted }` with the
 * ids of runs; each lasts until its signal aborts. It takes `{ blockMs }`, and blocks its event loop for that time, and
 * `{ close: true }`, which closes the engine: the process then ends by itself.
 */
const [connection = "", queue = ""] = process.argv.slice(2);

const engine = new BullMqEngine({ ...(JSON.parse(connection) as object), queue });
process.on("message", ({ blockMs = 0, close = false }: { blockMs?: number; close?: boolean }) => {
  if (close) {
    void engine.close().then(() => process.disconnect());
    return;
  }
  const end = performance.now() + blockMs;
  while (performance.now() < end);
  process.send?.("unblocked");
});
await engine.serve(
  async ({ runId }, signal) => {
    process.send?.({ started: runId });
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    process.send?.({ aborted: runId });
  },
  { concurrency: 10 },
);
process.send?.("serving");

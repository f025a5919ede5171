import { BullMqEngine } from "@troupe/engine-bullmq";

/**
 * A process that serves a queue: `engine-child.ts <connection as JSON> <queue>`. Sends `{ started }` and `{ aborted }` with the
 * ids of runs; each lasts until its signal aborts. It takes `{ blockMs }`, and blocks its event loop for that time.
 */
const [connection = "", queue = ""] = process.argv.slice(2);

const engine = new BullMqEngine({ ...(JSON.parse(connection) as object), queue });
process.on("message", ({ blockMs }: { blockMs: number }) => {
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

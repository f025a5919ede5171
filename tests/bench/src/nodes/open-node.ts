import { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";
import pg from "pg";
import type { NodeSettings } from "./nodes-orders.ts";
import { TickingModel } from "./ticking-model.ts";
import { TimedStorage } from "./timed-storage.ts";

/** Opens one process of a service on several: its runs, its storage and its model, as its environment says. */
export function openNode(node: string) {
  const { url, runs, everyMs } = JSON.parse(process.env["BENCH_NODE"] ?? "{}") as NodeSettings;
  const pool = new pg.Pool({ connectionString: url });
  const storage = new TimedStorage({ pool });
  const model = new TickingModel(everyMs);
  const service = new RunService({
    storage,
    engine: new BullMqEngine({ pool }),
    agents: { bench: new Agent({ name: "bench", model, storage }) },
    admission: { maxQueued: 2 * runs },
    node,
  });
  return { runs, service, storage, model };
}

/** Answers the orders of the parent. An order that cannot be obeyed ends the process. */
export function answerOrders(obey: (order: never) => Promise<object>): void {
  process.on("message", (order) => {
    void obey(order as never).then(
      (answer) => process.send?.(answer),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ ready: true });
}

import assert from "node:assert/strict";
import { Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import * as z from "zod";

const shipped: string[] = [];

// #region readme
const order = new Workflow({
  name: "order",
  initialState: { item: "a lamp" },
  // As a function, each step knows the types of the answers before it.
  steps: (flow) =>
    flow
      .ask({
        name: "approval",
        ask: ({ item }) => `May we order ${item}?`,
        schema: z.object({ approved: z.boolean(), limit: z.number() }),
      })
      .choose({
        name: "decide",
        choose: ({ approval }) => (approval.approved ? "yes" : "no"),
        cases: {
          yes: [
            { name: "payment", waitFor: "paid", waitMs: 7 * 86_400_000, onTimeout: "continue" },
            { name: "ship", effect: "idempotent", run: ({ item }) => void shipped.push(item) },
          ],
          no: [],
        },
      }),
});

const runs = new RunService({ workflows: { order } });
await runs.serve();

const { runId } = await runs.accept({ kind: "workflow", name: "order" });
for await (const event of runs.events(runId, "host")) {
  if (event.type !== "wait") continue;
  const { id, kind } = event.wait;
  if (kind === "question") await runs.answer(runId, id, { result: { approved: true, limit: 50 } }, "host");
  if (kind === "event") await runs.signal(runId, "paid", { amount: 40 }, "host", { id: "payment-7" });
}
// #endregion

assert.deepEqual(shipped, ["a lamp"]);
await runs.close();

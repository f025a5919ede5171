import assert from "node:assert/strict";

// #region readme
import { Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import * as z from "zod";

const approval = z.object({ approved: z.boolean(), approvedBy: z.string() });
const order = new Workflow({
  name: "order",
  initialState: { orderId: "", amount: 0, approval: null as z.infer<typeof approval> | null },
  steps: [
    {
      name: "only if it is dear",
      condition: ({ amount }) => amount > 1000,
      steps: [{ name: "approval", ask: ({ orderId }) => `May ${orderId} be paid?`, schema: approval }],
    },
    { name: "pay", run: (state) => console.log(`Approved by ${state.approval?.approvedBy ?? "nobody"}.`) },
  ],
});

const runs = new RunService({ workflows: { order } });
await runs.serve();
const { runId } = await runs.accept({ kind: "workflow", name: "order", input: { orderId: "ORD-123", amount: 5000 } });
for await (const event of runs.events(runId, "host")) {
  if (event.type !== "wait") continue;
  await runs.answer(runId, event.wait.id, { result: { approved: true, approvedBy: "a manager" } }, "host");
}
// #endregion

assert.equal((await runs.get(runId, "host")).status, "completed");
await runs.close();

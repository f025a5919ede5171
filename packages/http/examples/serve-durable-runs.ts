import assert from "node:assert/strict";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { closeOnSignals, createService, serve } from "@troupe/core/service";
import type { ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";

// For runs that survive the process: SqliteStorage of @troupe/storage-sqlite.
const storage = new InMemoryStorage();
const paid: unknown[] = [];
const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  parameters: { type: "object", properties: { amount: { type: "number" } } },
  needsApproval: true,
  execute: (args) => {
    paid.push(args);
    return "Paid.";
  },
});
const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: { amount: 20 } }] }, "It is paid.");
const helper = new Agent({ name: "helper", model, tools: [pay], storage });
const port = 0;
const isBoss = ({ headers }: ServiceRequest): boolean => headers.get("authorization") === "Bearer boss";

// #region readme
const mayAnswer = (request: ServiceRequest) => isBoss(request);
const service = createService({ agents: { helper }, storage, durable: true, mayAnswer });
const { url } = await serve(service, [http()], { port });
closeOnSignals(service);
void service.closed.then(() => storage.close());
// #endregion

const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
  await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const accepted = await post("/agents/helper/run", { input: "Pay the bill." }, { "idempotency-key": "b51f" });
const { runId, waits } = (await accepted.json()) as { runId: string; waits: { waitId: string }[] };
assert.equal(accepted.status, 202);

const answered = await post(`/runs/${runId}/answers/${waits[0]?.waitId}`, { approved: true });
assert.equal(answered.status, 204);

const again = await post("/agents/helper/run", { input: "Pay the bill." }, { "idempotency-key": "b51f" });
assert.equal(((await again.json()) as { text: string }).text, "It is paid.");
assert.deepEqual(paid, [{ amount: 20 }]);

await service.close();

import assert from "node:assert/strict";
import { Agent, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import type { ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";

const storage = new InMemoryStorage();
const agents = { helper: new Agent({ name: "helper", model: new ScriptedModel("Take an umbrella."), storage }) };
const isOperator = ({ headers }: ServiceRequest): boolean => headers.get("authorization") === "Bearer operator";
const port = 0;

// #region readme
const service = createService({ agents, storage, durable: true });
const inspector = { authorize: (request: ServiceRequest) => isOperator(request) };
const { url } = await serve(service, [http(), page({ inspector })], { port });
// #endregion

await fetch(`${url}/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "What should I take along to Oslo?" }),
});
const asStranger = await fetch(`${url}/inspector/runs`);
const asOperator = await fetch(`${url}/inspector/runs`, { headers: { authorization: "Bearer operator" } });
const body = (await asOperator.json()) as { runs: object[] };
await service.close();

assert.ok(asStranger.status === 401 || asStranger.status === 403, `status ${asStranger.status}`);
assert.equal(body.runs.length, 1);

// Serves an agent over AG-UI and asks it as a front end does. It runs without a key: the model follows a script.
import assert from "node:assert/strict";
import { Agent, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { agUi } from "@troupe/ag-ui";

const storage = new InMemoryStorage();
const helper = new Agent({ name: "helper", model: new ScriptedModel("Take an umbrella."), storage });

// #region readme
const service = createService({ agents: { helper }, storage, durable: true });
const { url } = await serve(service, [agUi()], { port: 0 });
// #endregion

const messages = [{ id: "m1", role: "user", content: "What should I take along?" }];
const response = await fetch(`${url}/agui/agents/helper`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ threadId: "t1", runId: "r1", protocolVersion: "1.0", messages }),
});
assert.match(await response.text(), /"RUN_FINISHED"/);

await service.close();

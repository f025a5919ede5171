import assert from "node:assert/strict";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { closeOnSignals, createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";

const storage = new InMemoryStorage();
const model = new ScriptedModel({ text: "Take an umbrella.", delayMs: 200 });
const helper = new Agent({ name: "helper", model, storage });
const port = 0;

// #region readme
const service = createService({ agents: { helper } });
const server = await serve(service, [http()], { port });
closeOnSignals(service, { graceMs: 25_000 });
void service.closed.then(() => storage.close());
// #endregion

const url = `${server.url}/agents/helper/run`;
const body = JSON.stringify({ input: "What should I take along to Oslo?" });
const started = new Promise((resolve) => helper.eventBus.on("run.start", resolve));
const answer = fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
await started;
process.kill(process.pid, "SIGTERM");

assert.equal((await answer).status, 200);
await service.closed;
await assert.rejects(fetch(url), TypeError);

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter, createShutdown } from "@troupe/http";
import express from "express";

const storage = new InMemoryStorage();
const model = new ScriptedModel({ text: "Take an umbrella.", delayMs: 200 });
const helper = new Agent({ name: "helper", model, storage });
const agents = { helper };
const port = 0;

// #region readme
const shutdown = createShutdown({ graceMs: 25_000 }).onSignals();
const app = express().use(createAgentRouter({ agents, shutdown }));
const server = app.listen(port);
shutdown.attach(server);
void shutdown.finished.then(() => storage.close());
// #endregion

await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents/helper/run`;
const body = JSON.stringify({ input: "What should I take along to Oslo?" });
const started = new Promise((resolve) => helper.eventBus.on("run.start", resolve));
const answer = fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
await started;
process.kill(process.pid, "SIGTERM");

assert.equal((await answer).status, 200);
await shutdown.finished;
await assert.rejects(fetch(url), TypeError);

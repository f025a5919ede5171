import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter, createShutdown } from "@troupe/http";
import { createAgentGateway } from "@troupe/socket";
import express from "express";
import { Server } from "socket.io";
import { io as connect } from "socket.io-client";

// For runs that survive the process: SqliteStorage of @troupe/storage-sqlite.
const storage = new InMemoryStorage();
const helper = new Agent({ name: "helper", model: new ScriptedModel("Take an umbrella."), storage });
const port = 0;

// #region readme
const agents = { helper };
const runs = new RunService({ agents, storage });
await runs.serve();
const shutdown = createShutdown().onSignals();

const server = createServer(express().use(createAgentRouter({ agents, runs, shutdown })));
const io = new Server(server);
shutdown.add(createAgentGateway({ io, agents, runs })).attach(server); // behind new Server(server)
server.listen(port);

const { finished } = shutdown;
void finished
  .then(() => io.close())
  .then(() => runs.close())
  .then(() => storage.close());
// #endregion

await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const socket = connect(`${url}/service`);
const done = new Promise<{ output: { text: string } }>((resolve) => void socket.once("agent.done", resolve));
const ids = (await socket.emitWithAck("agent.run", { name: "helper", input: "Oslo?" })) as { runId: string };
const { output } = await done;
const overHttp = (await (await fetch(`${url}/runs/${ids.runId}`)).json()) as { status: string };
socket.disconnect();
await shutdown.begin();

assert.equal(output.text, "Take an umbrella.");
assert.equal(overHttp.status, "completed");

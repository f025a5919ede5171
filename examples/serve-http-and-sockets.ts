import assert from "node:assert/strict";
import { Agent, InMemoryStorage } from "@troupe/core";
import { closeOnSignals, createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { createAgentGateway } from "@troupe/socket";
import { Server } from "socket.io";
import { io as connect } from "socket.io-client";

// For runs that survive the process: SqliteStorage of @troupe/storage-sqlite.
const storage = new InMemoryStorage();
const helper = new Agent({ name: "helper", model: new ScriptedModel("Take an umbrella."), storage });
const port = 0;

// #region readme
const service = createService({ agents: { helper }, storage, durable: true });
const { server, url } = await serve(service, [http()], { port });
const io = new Server(server);
createAgentGateway({ service, io });
closeOnSignals(service);
void service.closed.then(() => io.close()).then(() => storage.close());
// #endregion

const socket = connect(`${url}/service`);
const done = new Promise<{ output: { text: string } }>((resolve) => void socket.once("agent.done", resolve));
const ids = (await socket.emitWithAck("agent.run", { name: "helper", input: "Oslo?" })) as { runId: string };
const { output } = await done;
const overHttp = (await (await fetch(`${url}/runs/${ids.runId}`)).json()) as { status: string };
socket.disconnect();
await service.close();

assert.equal(output.text, "Take an umbrella.");
assert.equal(overHttp.status, "completed");

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentGateway } from "@troupe/socket";
import type { GatewayClientEvents, GatewayServerEvents } from "@troupe/socket";
import { Server } from "socket.io";
import { io as connect } from "socket.io-client";
import type { Socket } from "socket.io-client";

// For runs that survive the process: SqliteStorage of @troupe/storage-sqlite.
const storage = new InMemoryStorage();
const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  parameters: { type: "object", properties: { amount: { type: "number" } } },
  needsApproval: true,
  execute: () => "Paid.",
});
const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: { amount: 20 } }] }, "It is paid.");
const helper = new Agent({ name: "helper", model, tools: [pay], storage });
const service = createService({ agents: { helper }, storage, durable: true });
const server = createServer().listen(0, "127.0.0.1");
const io = new Server(server);
createAgentGateway({ service, io });
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/service`;
const first = connect(url, { forceNew: true });
const waited = new Promise<{ id: string }>((resolve) => void first.once("agent.wait", resolve));
const { runId } = (await first.emitWithAck("agent.run", { name: "helper", input: "Pay." })) as { runId: string };
const after = (await waited).id;
first.disconnect();
const socket: Socket<GatewayServerEvents, GatewayClientEvents> = connect(url, { forceNew: true });
const askUser = async (about: unknown) => await Promise.resolve(JSON.stringify(about).includes("pay"));
const done = new Promise<{ output: { text: string } }>((resolve) => void socket.once("agent.done", resolve));

// #region readme
// On another connection, with the id of the run and of the last event that was seen: null for all events.
socket.on("agent.wait", async ({ waitId, about }) => {
  const approved = await askUser(about);
  socket.emit("agent.answer", { runId, waitId, answer: { approved } });
});
await socket.emitWithAck("agent.attach", { runId, after: null });
// #endregion

const { output } = await done;
socket.disconnect();
await service.close();
await io.close();

assert.match(after, /^\d+\.\d+$/);
assert.equal(output.text, "It is paid.");

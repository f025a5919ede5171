import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentGateway } from "@troupe/socket";
import type { GatewayClientEvents, GatewayServerEvents } from "@troupe/socket";
import { Server } from "socket.io";
import { io as connect } from "socket.io-client";
import type { Socket } from "socket.io-client";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  execute: () => "Rain.",
});
const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }, "An umbrella.");
const server = createServer().listen(0, "127.0.0.1");
const io = new Server(server);
const gateway = createAgentGateway({ io, agents: { helper: new Agent({ name: "helper", model, tools: [weather] }) } });
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const shown: string[] = [];
const show = (text: string): void => void shown.push(text);

// #region readme
const socket: Socket<GatewayServerEvents, GatewayClientEvents> = connect(`${url}/service`);

socket.on("agent.chunk", ({ chunk }) => show(chunk));
socket.on("agent.tool.call", ({ toolName }) => show(`[${toolName} …]`));
socket.on("agent.tool.result", ({ toolName, result }) => show(`[${toolName}: ${JSON.stringify(result)}]`));
socket.on("agent.error", ({ error }) => show(error));

const done = new Promise((resolve) => void socket.once("agent.done", resolve));
const asked = { name: "helper", input: "What should I take to Oslo?" };
const { runId, sessionId } = (await socket.emitWithAck("agent.run", asked)) as { runId: string; sessionId: string };
await done;
// #endregion

socket.disconnect();
await gateway.close();
await io.close();

assert.ok(runId !== sessionId);
assert.equal(shown.join(""), '[weather …][weather: "Rain."]An umbrella.');

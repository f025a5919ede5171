import assert from "node:assert/strict";
// #region readme
import { a2a } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { page } from "@troupe/page";
import { openai } from "@troupe/providers-openai";
import { createAgentGateway } from "@troupe/socket";
import { Server } from "socket.io";

const service = createService({ agents: { helper: new Agent({ name: "helper", model: openai("gpt-6.1-sol") }) } });
const { server, url } = await serve(service, [http(), a2a(), mcp(), page()], { port: process.env["PORT"] });
createAgentGateway({ service, io: new Server(server) });
// #endregion

const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
  await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const spoken = {
  http: (await fetch(`${url}/agents`)).status,
  a2a: (await fetch(`${url}/.well-known/agent-card.json`)).status,
  mcp: (await post("/mcp", {}, { accept: "application/json, text/event-stream" })).status,
  socket: (await fetch(`${url}/socket.io/?EIO=4&transport=polling`)).status,
  page: (await fetch(url)).status,
};
await service.close();

assert.deepEqual(spoken, { http: 200, a2a: 200, mcp: 400, socket: 200, page: 200 });

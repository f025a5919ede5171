// Remote A2A agents: configuration, discovery, runs, streams, as a tool.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { A2ARemoteAgent, createA2AServer } from "@troupe/a2a";
import type { AgentCard } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import type { RunOutput, StreamChunk, ToolDef } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const authorizations = new Set<unknown>();
const app = express();
app.use((request, _response, next) => {
  authorizations.add(request.headers.authorization);
  next();
});
const a2a = createA2AServer({ agents: { helper } });
app.use(a2a);
const server = app.listen(0);
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const remote = new A2ARemoteAgent({ url, headers: { Authorization: "Bearer access-token" }, timeoutMs: 60_000 });

// Nothing is cached before the discovery. The name is the discovered one.
assert.equal(remote.getAgentCard(), undefined);
const card: AgentCard = await remote.discover();
assert.equal(card.name, "helper");
assert.equal(card.version, "1.0.0");
assert.equal(remote.name, "helper");
const cached: AgentCard | undefined = remote.getAgentCard();
assert.deepEqual(cached, card);

const output: RunOutput = await remote.run("Oslo?");
assert.equal(output.text, "Take an umbrella.");
assert.equal(output.status, "completed");

const chunks: StreamChunk[] = [];
for await (const chunk of remote.stream("Oslo?")) chunks.push(chunk);
const text = chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("");
assert.equal(text, "Take an umbrella.");
assert.equal(chunks.at(-1)?.type, "finish");

// As a tool of an agent.
const tool: ToolDef = remote.asTool();
const model = new ScriptedModel(
  { toolCalls: [{ name: tool.name, arguments: { input: "Oslo?" } }] },
  "It says: an umbrella.",
);
const asked = await new Agent({ name: "asker", model, tools: [tool] }).run("What to take?");
assert.equal(asked.text, "It says: an umbrella.");
assert.equal(asked.toolCalls[0]?.result, "Take an umbrella.");

// `name` overrides the discovered name, and `headers` go with each request.
const named = new A2ARemoteAgent({ url, name: "weather", headers: { Authorization: "Bearer access-token" } });
await named.discover();
assert.equal(named.name, "weather");
assert.deepEqual([...authorizations], ["Bearer access-token"]);

server.closeAllConnections();
server.close();
await a2a.service.close();

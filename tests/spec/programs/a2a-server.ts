// A2A server: configuration, the card, the endpoint with its four methods, card generators.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createA2AServer, generateAgentCard, generateMultiAgentCard } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const guide = new Agent({ name: "guide", model: new ScriptedModel().respond(() => "Turn left.") });
const provider = { organization: "Ada & Co", url: "https://ada.example" };

const app = express();
const a2a = createA2AServer({ agents: { helper, guide }, basePath: "/a2a", provider, version: "2.0.0" });
app.use(a2a);
const server = app.listen(0);
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const card = (await (await fetch(`${base}/.well-known/agent.json`)).json()) as Record<string, unknown>;
assert.equal(card["version"], "2.0.0");
assert.deepEqual(card["provider"], provider);

const post = async (method: string, params: object): Promise<Response> =>
  await fetch(`${base}/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: "1", method, params }),
  });
type Task = { id: string; status: { state: string } };
type Answer = { jsonrpc: string; id: string; result?: Task; error?: { code: number } };
const call = async (method: string, params: object) => (await (await post(method, params)).json()) as Answer;
const message = (text: string) => ({
  message: { kind: "message", messageId: text, role: "user", parts: [{ kind: "text", text }] },
});

// message/send runs the agent and returns the completed task.
const sent = await call("message/send", message("Oslo?"));
assert.equal(sent.jsonrpc, "2.0");
assert.equal(sent.id, "1");
assert.equal(sent.result?.status.state, "completed");
assert.match(JSON.stringify(sent.result), /Take an umbrella\./);

// message/stream returns server-sent events as the agent generates.
const stream = await post("message/stream", message("Rome?"));
assert.match(stream.headers.get("content-type") ?? "", /^text\/event-stream/);
assert.match(await stream.text(), /data: .*Take an umbrella\./);

// tasks/get returns a task by its id, and tasks/cancel takes one that runs alone.
const got = await call("tasks/get", { id: sent.result?.id });
assert.equal(got.result?.id, sent.result?.id);
assert.ok((await call("tasks/cancel", { id: sent.result?.id })).error);
assert.ok((await call("tasks/get", { id: "unknown" })).error);

// The defaults: the endpoint is at the root, the card has version 1.0.0 and no provider.
const plainA2A = createA2AServer({ agents: { helper } });
const plain = express().use(plainA2A).listen(0);
await once(plain, "listening");
const root = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
const plainCard = (await (await fetch(`${root}/.well-known/agent.json`)).json()) as Record<string, unknown>;
assert.equal(plainCard["version"], "1.0.0");
assert.equal(plainCard["provider"], undefined);
assert.equal((await fetch(`${root}/`, { method: "POST", body: "{}" })).headers.get("content-type"), "application/json");

// The generators make cards without a server.
const one = generateAgentCard(helper, "https://agents.example/a2a", provider);
assert.equal(one.name, "helper");
assert.equal(one.url, "https://agents.example/a2a");
const several = generateMultiAgentCard({ helper, guide }, "https://agents.example/a2a", provider);
assert.deepEqual(
  several.skills.map(({ id }) => id),
  ["helper", "guide"],
);

for (const each of [server, plain]) {
  each.closeAllConnections();
  each.close();
}
for (const { service } of [a2a, plainA2A]) await service.close();

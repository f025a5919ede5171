// Endpoints of the HTTP gateway, each as a client would call it.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, Team, Workflow } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import express from "express";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const crew = new Team({
  name: "crew",
  mode: "broadcast",
  model: new ScriptedModel().respond(() => "All agree."),
  members: [helper],
});
const pipeline = new Workflow({
  name: "pipeline",
  initialState: { done: false },
  steps: [{ name: "do", run: () => ({ done: true }) }],
});

const app = express();
app.use(requestLogger);
app.use(
  "/v1",
  createAgentRouter({ agents: { helper }, teams: { crew }, workflows: { pipeline }, swagger: { enabled: true } }),
);
app.use(errorHandler);
const server = app.listen(0);
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

const json = { "content-type": "application/json" };
const ask = async (path: string, body: object = { input: "Oslo?" }): Promise<Response> =>
  await fetch(base + path, { method: "POST", headers: json, body: JSON.stringify(body) });

for (const path of ["/agents/helper/run", "/teams/crew/run"]) {
  const response = await ask(path);
  assert.equal(response.status, 200, path);
  const output = (await response.json()) as object;
  for (const field of ["text", "toolCalls", "usage", "structured", "durationMs"]) assert.ok(field in output, field);
}

for (const path of ["/agents/helper/stream", "/teams/crew/stream"]) {
  const response = await ask(path);
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const chunks = (await response.text())
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as StreamChunk);
  const last = chunks.at(-1);
  assert.ok(last?.type === "finish" && last.finishReason === "stop", path);
  assert.match(chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join(""), /umbrella|agree/);
}

const workflow = await ask("/workflows/pipeline/run", {});
assert.equal(workflow.status, 200);
assert.deepEqual(((await workflow.json()) as { state: unknown }).state, { done: true });

assert.equal((await fetch(`${base}/docs`)).status, 200);
assert.equal(((await (await fetch(`${base}/docs/spec.json`)).json()) as { openapi: string }).openapi, "3.0.3");

for (const path of ["/agents/crew/run", "/teams/helper/run", "/workflows/helper/run", "/agents/constructor/run"])
  assert.equal((await ask(path)).status, 404, path);

server.closeAllConnections();
server.close();

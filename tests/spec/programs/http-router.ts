// Registries exposed by the HTTP router, middleware, run request body.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, Team, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";
import type { RequestHandler } from "express";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const crew = new Team({
  name: "crew",
  mode: "coordinate",
  model: new ScriptedModel().respond(() => "The crew says: an umbrella."),
  members: [helper],
});
const pipeline = new Workflow({
  name: "pipeline",
  initialState: { city: "Oslo", advice: "" },
  steps: [{ name: "advise", run: (state) => ({ advice: `An umbrella for ${state.city}.` }) }],
});

let passed = 0;
const count: RequestHandler = (_request, _response, next) => {
  passed += 1;
  next();
};

const app = express();
app.use(
  "/api",
  createAgentRouter({ agents: { helper }, teams: { crew }, workflows: { pipeline }, middleware: [count] }),
);
const server = app.listen(0);
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;

const post = async (path: string, body: unknown): Promise<Response> =>
  await fetch(base + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const run = await post("/agents/helper/run", { input: "Oslo?", sessionId: "s-1", userId: "ann" });
assert.equal(run.status, 200);
const output = (await run.json()) as Record<string, unknown>;
assert.equal(output["text"], "Take an umbrella.");
assert.deepEqual(output["toolCalls"], []);
assert.equal(output["structured"], null);
assert.equal(typeof output["durationMs"], "number");
assert.equal((output["usage"] as { totalTokens: number }).totalTokens, 15);

// Input may be a list of content parts, and optional fields may be left out or null.
const parts = await post("/agents/helper/run", {
  input: [{ type: "text", text: "Oslo?" }],
  sessionId: null,
  userId: null,
  apiKey: null,
});
assert.equal(parts.status, 200);

const team = (await (await post("/teams/crew/run", { input: "Oslo?" })).json()) as { text: string };
assert.equal(team.text, "The crew says: an umbrella.");

const workflow = (await (await post("/workflows/pipeline/run", {})).json()) as { state: { advice: string } };
assert.equal(workflow.state.advice, "An umbrella for Oslo.");

assert.equal((await post("/agents/nobody/run", { input: "Oslo?" })).status, 404);
assert.ok(passed >= 4);

server.closeAllConnections();
server.close();

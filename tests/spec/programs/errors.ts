// Errors: errorHandler mounted as is, status "error", run.error, onError, retryable errors.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import type { RunOutput } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter, errorHandler } from "@troupe/http";
import express from "express";

const model = new ScriptedModel().respond(() => ({
  text: "It r",
  error: Object.assign(new Error("secret detail"), { status: 500 }),
}));
const errors: unknown[] = [];
const agent = new Agent({
  name: "helper",
  model,
  retry: { maxRetries: 2, initialDelayMs: 1 },
  hooks: {
    onError: (_context, error) => {
      errors.push(error);
    },
  },
});
agent.eventBus.on("run.error", ({ error }) => {
  errors.push(error);
});

const thrown = await agent.run("Oslo?").then(
  () => assert.fail("the run must fail"),
  (error: unknown) => error as Error & { code: string; output: RunOutput },
);
assert.equal(thrown.output.status, "error");
assert.equal(errors.length, 2);
// Retried twice after the first try.
assert.equal(model.calls.length, 3);

const app = express();
app.use("/api", createAgentRouter({ agents: { helper: agent } }));
app.get("/own", () => {
  throw new Error("secret of the host");
});
app.use(errorHandler);
const server = app.listen(0);
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const failed = await fetch(`${base}/api/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "Oslo?" }),
});
assert.ok(failed.status >= 500);
const body = await failed.text();
assert.ok((JSON.parse(body) as { error: { code: string } }).error.code.length > 0);
assert.doesNotMatch(body, /secret/);

// The host's own routes fail in the same form, and without a stack.
const own = await fetch(`${base}/own`);
assert.equal(own.status, 500);
const ownBody = await own.text();
assert.equal((JSON.parse(ownBody) as { error: { code: string } }).error.code, "internal");
assert.doesNotMatch(ownBody, /secret|\.ts/);

const malformed = await fetch(`${base}/api/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: "{",
});
assert.equal(malformed.status, 400);

server.closeAllConnections();
server.close();

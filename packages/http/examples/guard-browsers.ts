import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import cors from "cors";
import express from "express";
import helmet from "helmet";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });

// #region readme
// Only pages of these origins may call the service and read its answers.
const allowed = cors({
  origin: ["https://app.example.org"],
  allowedHeaders: [
    "authorization",
    "content-type",
    "idempotency-key",
    "last-event-id",
    "x-openai-api-key",
    "x-request-id",
  ],
  exposedHeaders: ["content-location", "location", "x-request-id", "x-run-id", "x-session-id", "retry-after"],
  maxAge: 600,
});
const app = express()
  .disable("x-powered-by")
  .use(helmet(), allowed, createAgentRouter({ agents: { helper } }));
// #endregion

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

async function ask(method: string, origin: string): Promise<object> {
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/agents/helper/run`, {
    method,
    headers: { origin, "content-type": "application/json", "access-control-request-method": "POST" },
    ...(method === "POST" && { body: JSON.stringify({ input: "Hi" }) }),
  });
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.ok(headers.has("strict-transport-security"));
  return { status, isReadable: headers.get("access-control-allow-origin") === origin };
}

assert.deepEqual(await ask("OPTIONS", "https://app.example.org"), { status: 204, isReadable: true });
assert.deepEqual(await ask("POST", "https://app.example.org"), { status: 200, isReadable: true });
assert.deepEqual(await ask("OPTIONS", "https://evil.example.com"), { status: 204, isReadable: false });
server.closeAllConnections();
server.close();

import assert from "node:assert/strict";
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import type { Principal } from "@troupe/http";
import express from "express";
import type { RequestHandler } from "express";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const hash = (token: string): Buffer => createHash("sha256").update(token).digest();
const users: { tokenHash: Buffer; principal: Principal }[] = [
  { tokenHash: hash("token-of-ada"), principal: { userId: "ada", tenantId: "north" } },
  { tokenHash: hash("token-of-bo"), principal: { userId: "bo", tenantId: "north" } },
];

// #region readme
const authenticate: RequestHandler = (request, response, next) => {
  const [, token = ""] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const user = users.find(({ tokenHash }) => timingSafeEqual(tokenHash, hash(token)));
  if (user === undefined) {
    response.setHeader("WWW-Authenticate", "Bearer");
    throw new TroupeError("unauthorized", "Sign in: send Authorization: Bearer and your token.");
  }
  request.principal = user.principal; // { userId, tenantId? }
  next();
};

const app = express().use(createAgentRouter({ agents: { helper }, middleware: [authenticate] }));
// #endregion

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function statusOf(path: string, token?: string, body?: object): Promise<number> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { "content-type": "application/json", ...authorization };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await fetch(base + path, { headers, ...sent })).status;
}

const run = "/agents/helper/run";
assert.equal(await statusOf(run, undefined, { input: "Hi" }), 401);
assert.equal(await statusOf(run, "token-of-ada", { input: "Hi", sessionId: "trip" }), 200);
assert.equal(await statusOf(run, "token-of-ada", { input: "Hi", userId: "bo" }), 403);
assert.equal(await statusOf("/sessions/trip", "token-of-ada"), 200);
assert.equal(await statusOf("/sessions/trip", "token-of-bo"), 404);
server.closeAllConnections();
server.close();

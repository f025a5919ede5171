import assert from "node:assert/strict";
import { createHash, timingSafeEqual } from "node:crypto";
import { Agent, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createService, serve } from "@troupe/core/service";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import { http } from "@troupe/http";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const port = 0;
const hash = (token: string): Buffer => createHash("sha256").update(token).digest();
const users: { tokenHash: Buffer; principal: Principal }[] = [
  { tokenHash: hash("token-of-ada"), principal: { userId: "ada", tenantId: "north" } },
  { tokenHash: hash("token-of-bo"), principal: { userId: "bo", tenantId: "north" } },
];

// #region readme
function authenticate({ headers }: ServiceRequest): Principal {
  const [, token = ""] = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  const user = users.find(({ tokenHash }) => timingSafeEqual(tokenHash, hash(token)));
  if (user === undefined) {
    throw new TroupeError("unauthorized", "Sign in: send Authorization: Bearer and your token.");
  }
  return user.principal; // { userId, tenantId? }
}

const service = createService({ agents: { helper }, authenticate });
const { url } = await serve(service, [http()], { port });
// #endregion

async function statusOf(path: string, token?: string, body?: object): Promise<number> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { "content-type": "application/json", ...authorization };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await fetch(url + path, { headers, ...sent })).status;
}

const run = "/agents/helper/run";
assert.equal(await statusOf(run, undefined, { input: "Hi" }), 401);
assert.equal(await statusOf(run, "token-of-ada", { input: "Hi", sessionId: "trip" }), 200);
assert.equal(await statusOf(run, "token-of-ada", { input: "Hi", userId: "bo" }), 403);
assert.equal(await statusOf("/sessions/trip", "token-of-ada"), 200);
assert.equal(await statusOf("/sessions/trip", "token-of-bo"), 404);
await service.close();

import assert from "node:assert/strict";
import { Agent, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createHandler, createService } from "@troupe/core/service";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import { http } from "@troupe/http";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const users = new Map<string, Principal>([["token-of-ada", { userId: "ada" }]]);

// #region readme
function authenticate({ headers }: ServiceRequest): Principal {
  const user = users.get(headers.get("authorization")?.replace("Bearer ", "") ?? "");
  if (user === undefined) throw new TroupeError("unauthorized", "Sign in: send Authorization: Bearer and your token.");
  return user;
}

const service = createService({ agents: { helper }, authenticate });
const handler = createHandler(service, [http()], { basePath: "/api" });
// #endregion

async function ask(token: string): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const body = JSON.stringify({ input: "Hi" });
  return await handler(new Request("https://own.example/api/agents/helper/run", { method: "POST", headers, body }));
}

const answer = await ask("token-of-ada");
assert.equal(answer.status, 200);
assert.equal(((await answer.json()) as { text: string }).text, "Take an umbrella.");
assert.equal((await ask("token-of-eve")).status, 401);

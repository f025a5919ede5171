import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import type { Principal } from "@troupe/http";
import express from "express";
import type { RequestHandler } from "express";

const hash = (token: string): Buffer => createHash("sha256").update(token).digest();

// Stands for the host's own table of tokens, or for the signature of a token that says who it is.
const people: readonly { tokenHash: Buffer; principal: Principal }[] = [
  { tokenHash: hash("token-of-ada"), principal: { userId: "ada", tenantId: "north" } },
  { tokenHash: hash("token-of-bo"), principal: { userId: "bo", tenantId: "north" } },
];

const authenticate: RequestHandler = (request, response, next) => {
  const [, token = ""] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const person = people.find(({ tokenHash }) => timingSafeEqual(tokenHash, hash(token)));
  if (person === undefined) {
    response.setHeader("WWW-Authenticate", "Bearer");
    throw new TroupeError("unauthorized", "Sign in: send Authorization: Bearer and your token.");
  }
  Object.assign(request, { principal: person.principal });
  next();
};

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const server = createServer(express().use(createAgentRouter({ agents: { helper }, middleware: [authenticate] })));
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

type Answer = { text?: string; sessionId?: string; userId?: string; error?: { message: string } };

async function ask(path: string, token?: string, body?: object): Promise<void> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { "content-type": "application/json", ...authorization },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const { text, sessionId, userId, error } = (await response.json()) as Answer;
  console.log(`${response.status}: ${error?.message ?? text ?? `${sessionId} is a session of ${userId}`}`);
}

await ask("/agents/helper/run", undefined, { input: "Hi" });
await ask("/agents/helper/run", "token-of-ada", { input: "Hi", sessionId: "trip" });
await ask("/agents/helper/run", "token-of-ada", { input: "Hi", userId: "bo" });
await ask("/sessions/trip", "token-of-ada");
await ask("/sessions/trip", "token-of-bo");
server.closeAllConnections();
server.close();

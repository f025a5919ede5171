import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";
import type { Request, RequestHandler } from "express";

const guide = new Agent({ name: "guide", description: "Knows all capitals.", model: new ScriptedModel("Oslo.") });
const authenticate: RequestHandler = (request, _response, next) => {
  if (request.headers["x-user"] === "ada") Object.assign(request, { principal: { userId: "ada" } });
  next();
};
const skillsFor = (_request: Request) => [
  { id: "plan", name: "plan", description: "Plans journeys, for members.", tags: ["journey"] },
];

// #region readme
import { createA2AServer } from "@troupe/a2a";

const server = createA2AServer({
  agents: { guide },
  middleware: [authenticate],
  extendedCard: (request, { skills }) => ({ skills: [...skills, ...skillsFor(request)] }),
});
// #endregion

const listener = express().use(server).listen(0);
await once(listener, "listening");
const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/rest/extendedAgentCard`;
assert.equal((await fetch(url)).status, 401);
const card = (await (await fetch(url, { headers: { "x-user": "ada" } })).json()) as { skills: { id: string }[] };
assert.deepEqual(
  card.skills.map(({ id }) => id),
  ["guide", "plan"],
);
listener.close();

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import type { ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";

const guide = new Agent({ name: "guide", description: "Knows all capitals.", model: new ScriptedModel("Oslo.") });
const authenticate = ({ headers }: ServiceRequest) => {
  return headers.get("x-user") === "ada" ? { userId: "ada" } : undefined;
};
const skillsFor = (_request: ServiceRequest) => [
  { id: "plan", name: "plan", description: "Plans journeys, for members.", tags: ["journey"] },
];

// #region readme
import { createA2AServer } from "@troupe/a2a";

const server = createA2AServer({
  agents: { guide },
  authenticate,
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

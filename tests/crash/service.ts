// A service over HTTP for crash trials: agents with a tool over one storage. Kill points are wrapped around its parts, so
// that its own code does not know of them. It opens its storage when it is told to serve, and reports its port.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createKillPoints, reportToParent } from "@troupe-internal/fault-tools";
import { Agent, defineTool } from "@troupe/core";
import type { ModelProvider, Runnable } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import { anthropic } from "@troupe/providers-anthropic";
import { openai } from "@troupe/providers-openai";
import express from "express";
import { openStorage } from "../processes/open-storage.ts";
import { KillWithinCommit } from "./kill-within-commit.ts";
import { mutate } from "./mutant-storage.ts";
import type { ServiceOrder, ServiceSetup } from "./service-setup.ts";

const { storage: at, vendorUrl, killerThread, mutant } = JSON.parse(process.argv[2] ?? "{}") as ServiceSetup;
const points = createKillPoints(reportToParent());
const killer = new KillWithinCommit(new URL(killerThread));

// A driver connects at its first call.
const storage = points.storage(killer.storage(mutate(await openStorage(at), mutant)));

const lookUp = defineTool({
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
  execute: async ({ topic }) => {
    await sleep(5);
    return `Found ${String(topic)}.`;
  },
});

function createAgent(name: string, model: ModelProvider): Runnable {
  const tools = [points.tool(lookUp)];
  return points.runnable(new Agent({ name, model: points.model(model), storage, tools, numHistoryRuns: 5 }));
}

async function serve(): Promise<number> {
  // Connects to the storage before the service listens.
  await storage.get("sessions", "-/-/nobody");
  const agents = {
    chat: createAgent("chat", openai("gpt-4.1", { baseURL: `${vendorUrl}/v1`, api: "chat", apiKey: "key" })),
    messages: createAgent("messages", anthropic("claude-sonnet-4-5", { baseURL: vendorUrl, apiKey: "key" })),
  };
  const server = createServer(express().use(createAgentRouter({ agents })));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

process.on("message", (order: ServiceOrder) => {
  if ("serve" in order) void serve().then((port) => process.send?.({ port }));
  if ("killWithinCommit" in order) void killer.arm(order.killWithinCommit).then(() => process.send?.({ armed: true }));
});
process.send?.({ ready: true });

// A service as a host would write it, with its storage in a file. Sends `{ port }` to its parent, and `{ works }` for
// each run that calls its tool.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { JournalStorage } from "@troupe-internal/fault-tools";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";
import { createAgentRouter } from "../src/create-agent-router.ts";
import { closeOnSignals } from "@troupe/core/service";

const [journal = "", graceMs = "1000", manner = ""] = process.argv.slice(2);

const weather = defineTool({
  name: "weather",
  description: "The weather.",
  parameters: { type: "object", properties: {} },
  execute: async () => {
    process.send?.({ works: true });
    await new Promise((resolve) => setTimeout(resolve, 5));
    return "Rain.";
  },
});

/** Calls the weather tool, then answers slowly or never. */
const model = new ScriptedModel().respond(({ messages }) => {
  if (messages.at(-1)?.role !== "tool") return { toolCalls: [{ name: "weather" }], delayMs: 5 };
  return manner === "slow" ? { hang: true } : { text: "Take an umbrella.", chunkDelayMs: 5 };
});

const agent = new Agent({ name: "a", model, tools: [weather], storage: new JournalStorage(journal) });
const router = createAgentRouter({ agents: { a: agent } });
closeOnSignals(router.service, { graceMs: Number(graceMs) });
const server = createServer(express().use(router));
router.service.attach(server);
if (manner === "kept alive") setInterval(() => {}, 1000);
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
  // The channel to the test must not keep the process alive.
  process.channel?.unref();
});

// A service as a host would write it, with its sessions in an SQLite file that is closed after the shutdown. Sends `{ port }`
// to its parent. One agent is quick; the other calls its tool and then never finishes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, defineTool } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter, createShutdown } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";

const [file = "", graceMs = "", drainMs = graceMs] = process.argv.slice(2);

const weather = defineTool({
  name: "weather",
  description: "The weather.",
  parameters: { type: "object", properties: {} },
  execute: async () => {
    await sleep(5);
    return "Rain.";
  },
});

function modelThatEndsWith(turn: { hang: true } | { text: string; chunkDelayMs: number }): ModelProvider {
  return new ScriptedModel().respond(({ messages }) => {
    return messages.at(-1)?.role === "tool" ? turn : { toolCalls: [{ name: "weather" }], delayMs: 5 };
  });
}

const storage = new SqliteStorage(file);
const shared = { tools: [weather], storage };
const quick = new Agent({
  name: "quick",
  model: modelThatEndsWith({ text: "Take an umbrella.", chunkDelayMs: 5 }),
  ...shared,
});
const endless = new Agent({ name: "endless", model: modelThatEndsWith({ hang: true }), ...shared });

const shutdown = createShutdown({ graceMs: Number(graceMs), drainMs: Number(drainMs) }).onSignals();
void shutdown.finished.then(() => storage.close());
const server = createServer(express().use(createAgentRouter({ agents: { quick, endless }, shutdown })));
shutdown.attach(server);
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
  // The channel to the test must not keep the process alive.
  process.channel?.unref();
});

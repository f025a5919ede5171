import { createServer } from "node:http";
import { Agent } from "@troupe/core";
import { createAgentRouter, createShutdown } from "@troupe/http";
import { openai } from "@troupe/providers-openai";
import express from "express";
import { collectedHeap } from "../answer-rounds.ts";
import { weather } from "./weather.ts";
import { listen, vendorUrl } from "../servers/listen.ts";

/** Router, agent and providers-openai. It reports what it holds. */
const model = openai("mock-1", { apiKey: "none", baseURL: `${vendorUrl()}/v1`, api: "chat" });
const agents = {
  bench: new Agent({ name: "bench", model }),
  tool: new Agent({ name: "tool", model, tools: [weather] }),
};
const shutdown = createShutdown();
const counted: { readonly size: number }[] = [];
const add = shutdown.add.bind(shutdown);
shutdown.add = (runs) => {
  counted.push(runs);
  return add(runs);
};

const server = createServer(express().use(createAgentRouter({ agents, shutdown })));

/** Resources that the server holds. */
export type Held = { runs: number; connections: number; heapBytes: number };

async function tell(): Promise<void> {
  const connections = await new Promise<number>((resolve) => {
    server.getConnections((_error, count) => resolve(count));
  });
  const runs = counted.reduce((sum, { size }) => sum + size, 0);
  process.send?.({ runs, connections, heapBytes: await collectedHeap() } satisfies Held);
}

process.on("message", () => void tell());
listen(server, { backlog: 8192 });

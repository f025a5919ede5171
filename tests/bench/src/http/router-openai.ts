import { createServer } from "node:http";
import { Agent } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
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
const router = createAgentRouter({ agents });
const server = createServer(express().use(router));

/** Resources that the server holds. */
export type Held = { runs: number; connections: number; heapBytes: number };

async function tell(): Promise<void> {
  const connections = await new Promise<number>((resolve) => {
    server.getConnections((_error, count) => resolve(count));
  });
  const runs = router.service.servedRuns.size;
  process.send?.({ runs, connections, heapBytes: await collectedHeap() } satisfies Held);
}

process.on("message", () => void tell());
listen(server, { backlog: 8192 });

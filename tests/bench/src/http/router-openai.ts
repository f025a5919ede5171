import { createServer } from "node:http";
import { Agent } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import { openai } from "@troupe/providers-openai";
import express from "express";
import { weather } from "./weather.ts";
import { answerHeld } from "../servers/held.ts";
import { listen, vendorUrl } from "../servers/listen.ts";

/** Router, agent and providers-openai. It reports what it holds. */
const model = openai("mock-1", { apiKey: "none", baseURL: `${vendorUrl()}/v1`, api: "chat" });
const agents = {
  bench: new Agent({ name: "bench", model }),
  tool: new Agent({ name: "tool", model, tools: [weather] }),
};
const router = createAgentRouter({ agents });
const server = createServer(express().use(router));

answerHeld(server, () => router.service.servedRuns.size);
listen(server, { backlog: 8192 });

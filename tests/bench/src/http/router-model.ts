import { createServer } from "node:http";
import { Agent } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import express from "express";
import { FixedModel } from "../agent/fixed-model.ts";
import { weather } from "./weather.ts";
import { listen } from "../servers/listen.ts";

/** The router over a model that costs nothing, so that only the cost of a request is left. */
const agents = {
  bench: new Agent({ name: "bench", model: new FixedModel() }),
  tool: new Agent({ name: "tool", model: new FixedModel({ asksForTool: true }), tools: [weather] }),
};

listen(createServer(express().use(createAgentRouter({ agents }))));

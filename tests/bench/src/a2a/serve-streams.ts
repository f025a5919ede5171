import { createServer } from "node:http";
import { createA2AServer } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import express from "express";
import { PacedModel } from "../durable/paced-model.ts";
import { listen } from "../servers/listen.ts";

const { BENCH_CHUNKS, BENCH_EVERY_MS, BENCH_CANDIDATE } = process.env;

/** Serves an agent with long streams, over A2A or over HTTP. HTTP stores its runs in memory too with `http, stored`. */
const model = new PacedModel(Number(BENCH_CHUNKS), Number(BENCH_EVERY_MS));
const agents = { bench: new Agent({ name: "bench", model }) };
const app = express();
if (BENCH_CANDIDATE === "a2a") app.use(createA2AServer({ agents }));
else app.use(createAgentRouter({ agents, onDisconnect: BENCH_CANDIDATE === "http" ? "cancel" : "continue" }));
listen(createServer(app));

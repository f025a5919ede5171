import { TroupeError } from "@troupe/core";
import { createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import type { Shutdown } from "@troupe/http";
import express from "express";
import type { Express } from "express";
import { believeUserHeader } from "./believe-user-header.ts";
import type { Demo } from "./create-demo.ts";

const docs = {
  title: "Troupe demo server",
  description: "Agents with tools, two teams and a workflow. The weather is made up.",
};

const welcome = {
  name: "Troupe demo server",
  endpoints: [
    "GET /agents, GET /teams, GET /workflows",
    "POST /agents/:name/run, POST /agents/:name/stream",
    "POST /teams/:name/run, POST /teams/:name/stream",
    "POST /workflows/:name/run, POST /workflows/:name/stream",
    "POST /runs/:runId/cancel",
    "GET /sessions, GET /sessions/:id, GET /sessions/:id/turns, DELETE /sessions/:id",
    "GET /health, GET /ready",
    "GET /docs, GET /docs/spec.json",
  ],
};

/** The demo as an Express app, put together as any host would do it. */
export function createDemoServer(demo: Demo, shutdown: Shutdown): Express {
  const app = express().disable("x-powered-by");
  app.use(requestLogger());
  app.use(createAgentRouter({ ...demo, middleware: [believeUserHeader], fileUpload: true, swagger: docs, shutdown }));
  app.get("/", (_request, response) => void response.json(welcome));
  app.use(() => {
    throw new TroupeError("not_found", "There is nothing here. GET / lists what is served.");
  });
  app.use(errorHandler());
  return app;
}

import { TroupeError } from "@troupe/core";
import type { RunService } from "@troupe/core";
import { checkUser } from "@troupe/core/adapter";
import { createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import type { Principal, Shutdown } from "@troupe/http";
import { createMcpServer } from "@troupe/mcp";
import express from "express";
import type { Express, RequestHandler } from "express";
import type { Demo } from "./demo.ts";

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
    "GET /runs, GET /runs/:runId, GET /runs/:runId/events, DELETE /runs/:runId",
    "POST /runs/:runId/cancel",
    "POST /runs/:runId/answers/:waitId",
    "GET /sessions, GET /sessions/:id, GET /sessions/:id/turns, DELETE /sessions/:id",
    "GET /health, GET /ready",
    "POST /mcp, for MCP clients",
    "GET /docs, GET /docs/spec.json",
  ],
};

/** The runs that outlive the server, its orderly end, and the hosts by which it may be called. */
type Serving = { readonly runs: RunService; readonly shutdown: Shutdown; readonly allowedHosts: readonly string[] };

/** Creates an Express app that serves the demo. */
export function createDemoServer(demo: Demo, { runs, ...serving }: Serving): Express {
  const app = express().disable("x-powered-by");
  app.use(requestLogger);
  const middleware = [trustUserHeader];
  app.use(createAgentRouter({ ...demo, ...serving, runs, middleware, fileUpload: true, swagger: docs }));
  app.use("/mcp", trustUserHeader, createMcpServer({ ...demo, ...serving, name: "troupe-demo" }).handler);
  app.get("/", (_request, response) => void response.json(welcome));
  app.use(() => {
    throw new TroupeError("not_found", "There is nothing here. GET / lists the endpoints.");
  });
  app.use(errorHandler);
  return app;
}

/** Takes the user that the header `x-demo-user` names, without a check of the sender. A real service authenticates here. */
const trustUserHeader: RequestHandler = (request, _response, next) => {
  const userId = request.get("x-demo-user");
  if (userId !== undefined) Object.assign(request, { principal: principalOf(userId) });
  next();
};

function principalOf(userId: string): Principal {
  try {
    return { userId: checkUser(userId, {}).userId };
  } catch (cause) {
    throw new TroupeError("invalid_request", `The header x-demo-user: ${(cause as Error).message}`, { cause });
  }
}

import { createA2AServer } from "@troupe/a2a";
import { TroupeError } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import { createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import type { Shutdown } from "@troupe/http";
import { createMcpServer } from "@troupe/mcp";
import { createPage } from "@troupe/page";
import express from "express";
import type { Express, Request } from "express";
import type { Demo } from "./demo.ts";
import { trustDemoUser, welcomeVisitor } from "./demo-users.ts";
import { isFromThisMachine } from "./is-from-this-machine.ts";
import { suggestions } from "./suggestions.ts";

const docs = {
  title: "Troupe demo server",
  description: "Agents with tools, teams and a workflow. The weather is made up.",
  contact: { name: "The Troupe authors", url: "https://github.com/troupe-ts/troupe" },
  license: { name: "MIT", url: "https://github.com/troupe-ts/troupe/blob/main/LICENSE" },
};

/** The first suggestion for each agent and team. */
function questionsFor({ agents, teams }: Demo): Record<string, string> {
  const asked = Object.entries(suggestions).flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first]]));
  return Object.fromEntries(asked.filter(([name = ""]) => name in agents || name in teams)) as Record<string, string>;
}

const welcome = {
  name: "Troupe demo server",
  page: "GET / in a browser",
  endpoints: [
    "GET /agents, GET /teams, GET /workflows",
    "POST /agents/:name/run, POST /agents/:name/stream",
    "POST /teams/:name/run, POST /teams/:name/stream",
    "POST /agents/:name/ui, POST /teams/:name/ui, for useChat of the AI SDK",
    "POST /workflows/:name/run, POST /workflows/:name/stream",
    "GET /runs, GET /runs/:runId, GET /runs/:runId/events, DELETE /runs/:runId",
    "POST /runs/:runId/cancel",
    "POST /runs/:runId/answers/:waitId",
    "GET /sessions, GET /sessions/:id, GET /sessions/:id/turns, DELETE /sessions/:id",
    "GET /health, GET /ready",
    "POST /mcp, for MCP clients",
    "POST /a2a, for A2A clients; GET /.well-known/agent-card.json, GET /.well-known/agent.json",
    "Socket.IO, namespace /service: agent.run, team.run, agent.cancel, agent.attach, agent.answer",
    "GET /docs, GET /docs/spec.json",
  ],
};

/** The runs that outlive the server, its orderly end, and the hosts by which it may be called. */
export type Serving = {
  readonly runs: RunService;
  readonly shutdown: Shutdown;
  readonly allowedHosts: readonly string[];
};

/** Creates an Express app that serves the demo over HTTP, A2A and MCP. */
export function createDemoServer(demo: Demo, { runs, ...serving }: Serving): Express {
  const app = express().disable("x-powered-by");
  const middleware = [trustDemoUser];
  app.use(requestLogger);
  app.use(createA2AServer({ ...serving, ...a2aOptions, agents: { ...demo.agents, ...demo.teams }, middleware, runs }));
  app.use(
    createAgentRouter({
      ...demo,
      ...serving,
      runs,
      middleware,
      fileUpload: true,
      ui: true,
      swagger: { ...docs, questions: questionsFor(demo) },
    }),
  );
  app.use("/mcp", trustDemoUser, createMcpServer({ ...demo, ...serving, runs, name: "troupe-demo" }).handler);
  app.get("/", (request, response, next) =>
    asksForPage(request) ? next() : void response.vary("accept").json(welcome),
  );
  app.get("/", welcomeVisitor);
  const inspector = { runs, authorize: isFromThisMachine };
  app.use(trustDemoUser, createPage({ title: "Troupe demo", suggestions, inspector }));
  app.use(() => {
    throw new TroupeError("not_found", "There is nothing here. GET / lists the endpoints.");
  });
  app.use(errorHandler);
  return app;
}

/** Tells if a browser asks, and not a program that takes anything. */
function asksForPage({ headers }: Request): boolean {
  return headers.accept?.includes("text/html") ?? false;
}

const a2aOptions = { basePath: "/a2a", provider: { organization: "Troupe demo" } };

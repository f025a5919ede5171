import { a2a } from "@troupe/a2a";
import { agUi } from "@troupe/ag-ui";
import { TroupeError } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import { createRouter, createService } from "@troupe/core/service";
import type { Service } from "@troupe/core/transport";
import { errorHandler, http, requestLogger } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { page } from "@troupe/page";
import { chatStream } from "@troupe/use-chat";
import express from "express";
import type { Express, Request } from "express";
import type { Demo } from "./demo.ts";
import { readDemoUser, welcomeVisitor } from "./demo-users.ts";
import { isFromThisMachine } from "./is-from-this-machine.ts";
import { serveGuide } from "./serve-guide.ts";
import { suggestions } from "./suggestions.ts";

const docs = {
  title: "Troupe demo server",
  description: "Agents with tools, teams and a workflow. The weather is made up.",
  contact: { name: "The Troupe authors", url: "https://github.com/troupe-ts/troupe" },
  license: { name: "MIT", url: "https://github.com/troupe-ts/troupe/blob/main/LICENSE" },
};

/** Returns the first suggestion for each agent and team. */
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
    "POST /agui/agents/:name, POST /agui/teams/:name, POST /agui/workflows/:name, for front ends that speak AG-UI",
    "GET /v1/models, POST /v1/chat/completions, POST /v1/responses, for clients of OpenAI's API",
    "POST /workflows/:name/run, POST /workflows/:name/stream",
    "GET /runs, GET /runs/:runId, GET /runs/:runId/events, DELETE /runs/:runId",
    "POST /runs/:runId/cancel",
    "POST /runs/:runId/answers/:waitId",
    "POST /runs/:runId/signals",
    "GET /schedules, POST /schedules, GET /schedules/:id, PATCH /schedules/:id, DELETE /schedules/:id",
    "GET /sessions, GET /sessions/:id, GET /sessions/:id/turns, DELETE /sessions/:id",
    "GET /health, GET /ready",
    "POST /mcp, for MCP clients",
    "POST /a2a, for A2A clients; GET /.well-known/agent-card.json, GET /.well-known/agent.json",
    "Socket.IO, namespace /service: agent.run, team.run, agent.cancel, agent.attach, agent.answer",
    "GET /docs, GET /docs/spec.json",
    "GET /docs/guide/, the guide and the recipes, once they are built: npx -y pnpm@12 site:demo",
  ],
};

/** The durable runs and the allowed hosts of the demo. */
export type Serving = { readonly runs: RunService; readonly allowedHosts: readonly string[] };

/** Creates the service of the demo: its agents, teams and workflows, with durable runs. */
export function createDemoService(demo: Demo, serving: Serving): Service {
  return createService({ ...demo, ...serving, schedules: true, authenticate: readDemoUser });
}

/** Creates an Express app that serves the demo over HTTP, A2A and MCP, with a page. */
export function createDemoServer(demo: Demo, service: Service): Express {
  const app = express().disable("x-powered-by");
  app.use(requestLogger);
  const protocols = [
    http({ fileUpload: true, swagger: { ...docs, questions: questionsFor(demo) } }),
    chatStream(),
    agUi(),
    openaiApi({ chat: { approvals: "deny" } }),
    a2a({ provider: { organization: "Troupe demo" } }),
    mcp({ name: "troupe-demo" }),
  ];
  // This router comes first, because it refuses other host names and other sites' pages for all handlers after it.
  app.use(createRouter(service, protocols));
  app.use("/docs/guide", serveGuide());
  app.get("/", (request, response, next) =>
    asksForPage(request) ? next() : void response.vary("accept").json(welcome),
  );
  app.get("/", welcomeVisitor);
  const inspector = { authorize: isFromThisMachine, modelCalls: true };
  app.use(createRouter(service, [page({ title: "Troupe demo", suggestions, inspector })]));
  app.use(() => {
    throw new TroupeError("not_found", "There is nothing here. GET / lists the endpoints.");
  });
  app.use(errorHandler);
  return app;
}

/** Returns true if a request comes from a browser, and not from a program that accepts any type. */
function asksForPage({ headers }: Request): boolean {
  return headers.accept?.includes("text/html") ?? false;
}

import type { Server } from "node:http";
import { TroupeError } from "@troupe/core";
import type { RunService } from "@troupe/core";
import { checkUser } from "@troupe/core/adapter";
import { createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import type { Principal, Shutdown } from "@troupe/http";
import { createMcpServer } from "@troupe/mcp";
import { allowOrigins, createAgentGateway } from "@troupe/socket";
import type { SocketMiddleware } from "@troupe/socket";
import express from "express";
import type { Express, RequestHandler } from "express";
import { Server as SocketServer } from "socket.io";
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
    "Socket.IO, namespace /service: agent.run, team.run, agent.cancel, agent.attach, agent.answer",
    "GET /docs, GET /docs/spec.json",
  ],
};

/**
 * Serves the demo over Socket.IO too, on the HTTP server of the demo. Call it before the server is attached to the shutdown, which
 * then knows the requests of Socket.IO as well.
 */
export function serveSockets(server: Server, demo: Demo, { runs, shutdown, allowedHosts }: Serving): SocketServer {
  const io = new SocketServer(server, { allowRequest: allowOrigins([], { allowedHosts }) });
  shutdown.add(
    createAgentGateway({ io, agents: demo.agents, teams: demo.teams, runs, authMiddleware: trustUserOfAuth }),
  );
  return io;
}

/** Takes the user that the handshake names in `auth.user`, without a check of the sender. A real service authenticates here. */
const trustUserOfAuth: SocketMiddleware = ({ data, handshake }, next) => {
  const { user } = handshake.auth as { user?: unknown };
  if (user !== undefined) Object.assign(data as object, { principal: principalOf(user, "auth.user of the handshake") });
  next();
};

/** The runs that outlive the server, its orderly end, and the hosts by which it may be called. */
type Serving = { readonly runs: RunService; readonly shutdown: Shutdown; readonly allowedHosts: readonly string[] };

/** Creates an Express app that serves the demo. */
export function createDemoServer(demo: Demo, { runs, ...serving }: Serving): Express {
  const app = express().disable("x-powered-by");
  app.use(requestLogger);
  const middleware = [trustUserHeader];
  app.use(createAgentRouter({ ...demo, ...serving, runs, middleware, fileUpload: true, swagger: docs }));
  app.use("/mcp", trustUserHeader, createMcpServer({ ...demo, ...serving, runs, name: "troupe-demo" }).handler);
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
  if (userId !== undefined) Object.assign(request, { principal: principalOf(userId, "The header x-demo-user") });
  next();
};

function principalOf(userId: unknown, where: string): Principal {
  try {
    return { userId: checkUser(userId as string, {}).userId };
  } catch (cause) {
    throw new TroupeError("invalid_request", `${where}: ${(cause as Error).message}`, { cause });
  }
}

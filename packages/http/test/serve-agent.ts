import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import type { ServedWorkflow } from "@troupe/core/service";
import type { ServedRuns } from "@troupe/core/transport";
import express from "express";
import type { RequestHandler } from "express";
import { onTestFinished } from "vitest";
import { watchAnswers } from "./watch-answers.ts";
import { createAgentRouter } from "../src/create-agent-router.ts";
import type { AgentRouter, RouterOptions } from "../src/create-agent-router.ts";

/** A service under test. */
export type Service = {
  url: string;
  port: number;
  server: Server;
  /** The runs of the service. */
  runs: ServedRuns;
  served: AgentRouter["service"];
};

type Served = RouterOptions & { agent?: Runnable; workflow?: ServedWorkflow; before?: readonly RequestHandler[] };

/** Serves an agent `a` or a workflow `w` on a free port until the test is over, behind the host's handlers `before`. */
export async function serve({ agent, workflow, before = [], ...options }: Served): Promise<Service> {
  const given = {
    ...(agent && { agents: { a: agent } }),
    ...(workflow && { workflows: { w: workflow } }),
    logger: createLogger(),
    ...options,
  };
  const router = createAgentRouter(given);
  const app = express().use(watchAnswers(given));
  for (const handler of before) app.use(handler);
  const server = createServer(app.use(router)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { service } = router;
  return { url: `http://127.0.0.1:${port}`, port, server, runs: service.servedRuns, served: service };
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import type { EndingRuns, ServedWorkflow } from "@troupe/core/transport";
import express from "express";
import type { RequestHandler } from "express";
import { onTestFinished, vi } from "vitest";
import { watchAnswers } from "./watch-answers.ts";
import { createAgentRouter } from "../src/create-agent-router.ts";
import type { RouterOptions } from "../src/settings/router-options.ts";
import { createShutdown } from "../src/shutdown/shutdown.ts";
import type { Shutdown } from "../src/shutdown/shutdown.ts";

/** A service under test. */
export type Service = { url: string; port: number; server: Server; runs: EndingRuns; shutdown: Shutdown };

type Served = RouterOptions & { agent?: Runnable; workflow?: ServedWorkflow; before?: readonly RequestHandler[] };

/** Serves an agent `a` or a workflow `w` on a free port until the test is over, behind the host's handlers `before`. */
export async function serve({ agent, workflow, before = [], ...options }: Served): Promise<Service> {
  const shutdown = options.shutdown ?? createShutdown({ logger: createLogger(), graceMs: 500 });
  const add = vi.spyOn(shutdown, "add");
  const served = {
    ...(agent && { agents: { a: agent } }),
    ...(workflow && { workflows: { w: workflow } }),
    logger: createLogger(),
    ...options,
    shutdown,
  };
  const router = createAgentRouter(served);
  const app = express().use(watchAnswers(served));
  for (const handler of before) app.use(handler);
  const server = createServer(app.use(router)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const runs = add.mock.calls[0]?.[0];
  if (runs === undefined) throw new Error("The router did not add its runs to the shutdown.");
  return { url: `http://127.0.0.1:${port}`, port, server, runs, shutdown };
}

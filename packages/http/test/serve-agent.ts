import type { Server } from "node:http";
import { createLogger } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import type { ServedWorkflow } from "@troupe/core/service";
import type { ServedRuns } from "@troupe/core/transport";
import type { RequestHandler } from "express";
import type { AgentRouter, RouterOptions } from "../src/create-agent-router.ts";
import type { Elsewhere } from "./hosted.ts";
import { serve as serveRouter } from "./serve.ts";

/** A service under test. */
export type Service = {
  url: string;
  port: number;
  server: Server;
  /** The runs of the service. */
  runs: ServedRuns;
  served: AgentRouter["service"];
};

type Served = RouterOptions &
  Elsewhere & { agent?: Runnable; workflow?: ServedWorkflow; before?: readonly RequestHandler[] };

/** Serves an agent `a` or a workflow `w` on a free port until the test is over, behind the host's handlers `before`. */
export async function serve(served: Served): Promise<Service> {
  const { agent, workflow, before, onNode, onHost, onExpress, ...options } = served;
  const given = {
    ...(agent && { agents: { a: agent } }),
    ...(workflow && { workflows: { w: workflow } }),
    logger: createLogger(),
    ...options,
  };
  const service = await serveRouter(given, { ...(before && { before }), onNode, onHost, onExpress });
  const { port, server, served: made } = service;
  return { url: `http://127.0.0.1:${port}`, port, server, runs: made.servedRuns, served: made };
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import express from "express";
import type { ErrorRequestHandler, RequestHandler } from "express";
import { onTestFinished } from "vitest";
import { createAgentRouter } from "../src/create-agent-router.ts";
import type { RouterOptions } from "../src/settings/router-options.ts";
import { Service } from "./service.ts";
import { watchAnswers } from "./watch-answers.ts";

/** The mount path of the router, and the host's handlers before and behind it. */
export type Hosting = {
  at?: string;
  before?: readonly RequestHandler[];
  behind?: readonly (RequestHandler | ErrorRequestHandler)[];
  /** The server's limit for all headers of a request, in bytes. @default Node's, 16 KB */
  maxHeaderSize?: number | undefined;
};

/** Serves a router on a free port until the test is over, and keeps its log. */
export async function serve(options: RouterOptions, hosting: Hosting = {}): Promise<Service> {
  const { at = "/", before = [], behind = [], maxHeaderSize } = hosting;
  const app = express();
  const server = createServer({ ...(maxHeaderSize !== undefined && { maxHeaderSize }) }, app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const service = new Service((server.address() as AddressInfo).port, at);
  const logger = createLogger({ level: "debug", write: (line) => service.lines.push(line) });
  app.use(watchAnswers(options));
  for (const handler of before) app.use(handler);
  app.use(at, createAgentRouter({ logger, ...options }));
  for (const handler of behind) app.use(handler);
  return service;
}

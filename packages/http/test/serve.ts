import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import { createService, serve as serveOnNode } from "@troupe/core/service";
import express from "express";
import type { ErrorRequestHandler, RequestHandler } from "express";
import { inject, onTestFinished } from "vitest";
import { createAgentRouter } from "../src/create-agent-router.ts";
import type { AgentRouter, RouterOptions } from "../src/create-agent-router.ts";
import { http } from "../src/http.ts";
import { carry } from "./fetch-carrier.ts";
import { Service } from "./service.ts";
import { watchAnswers } from "./watch-answers.ts";

/** The mount path of the router, and the host's handlers before and behind it. */
export type Hosting = {
  at?: string;
  before?: readonly RequestHandler[];
  behind?: readonly (RequestHandler | ErrorRequestHandler)[];
  /** The reason why a test needs a server over Node's requests, where other tests have web-standard ones. */
  onNode?: string;
  /** The reason why a test needs a server of the host, where other tests have that of `serve`. */
  onHost?: string;
  /** The server's limit for all headers of a request, in bytes. @default Node's, 16 KB */
  maxHeaderSize?: number | undefined;
};

/** A client of a router under test, with the service behind it. */
export type RoutedService = Service & { readonly served: AgentRouter["service"] };

/** Serves a router on a free port until the test is over, and keeps its log. */
export async function serve(options: RouterOptions, hosting: Hosting = {}): Promise<RoutedService> {
  const isOfService = inject("httpServer") === "serve" && isAlone(options, hosting);
  return isOfService ? await serveAlone(options, hosting) : await serveHosted(options, hosting);
}

/** Serves in an app of Express. */
async function serveHosted(options: RouterOptions, hosting: Hosting): Promise<RoutedService> {
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
  const given = { logger, ...options };
  const router = isWeb(options, hosting) ? carry(given, at === "/" ? "" : at) : createAgentRouter(given);
  app.use(at, router);
  for (const handler of behind) app.use(handler);
  return Object.assign(service, { served: router.service });
}

/** Returns true if nothing of a host stands beside the service under test. */
function isAlone({ middleware }: RouterOptions, { at, before, behind, onHost }: Hosting): boolean {
  return [middleware, at, before, behind, onHost].every((each) => each === undefined);
}

/** Serves over Node's own server, without Express. */
async function serveAlone(options: RouterOptions, { maxHeaderSize }: Hosting): Promise<RoutedService> {
  const { swagger, fileUpload, middleware: _, ...shared } = options;
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  const served = createService({ logger, ...shared }, "createAgentRouter");
  const own = { ...(maxHeaderSize !== undefined && { maxHeaderSize }) };
  const protocols = [http({ swagger, fileUpload })];
  const { server, url } = await serveOnNode(served, protocols, { port: 0, host: "127.0.0.1", http: own });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(new Service(Number(new URL(url).port), "/"), { served, lines });
}

/** Returns true if the service under test takes web-standard requests, without what only a server over Node's requests has. */
function isWeb({ middleware }: RouterOptions, { behind, onNode }: Hosting): boolean {
  if (inject("httpServer") !== "fetch") return false;
  return [middleware, behind, onNode].every((each) => each === undefined);
}

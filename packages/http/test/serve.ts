import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hosts } from "@troupe-internal/web-servers";
import { createLogger } from "@troupe/core";
import { createService, serve as serveOnNode } from "@troupe/core/service";
import type { ErrorRequestHandler, RequestHandler } from "express";
import { inject, onTestFinished } from "vitest";
import type { AgentRouter, RouterOptions } from "../src/create-agent-router.ts";
import { http } from "../src/http.ts";
import { host, noteServer } from "./hosted.ts";
import type { Elsewhere } from "./hosted.ts";
import { Service } from "./service.ts";
import { watchAnswers } from "./watch-answers.ts";

/** The mount path of the router, and the host's handlers before and behind it. */
export type Hosting = Elsewhere & {
  at?: string;
  before?: readonly RequestHandler[];
  behind?: readonly (RequestHandler | ErrorRequestHandler)[];
  /** The server's limit for all headers of a request, in bytes. @default Node's, 16 KB */
  maxHeaderSize?: number | undefined;
};

/** A client of a router under test, with the service behind it. */
export type RoutedService = Service & { readonly served: AgentRouter["service"]; readonly server: Server };

/** True if the server under test has web-standard requests. */
export const isOnWeb = (): boolean => {
  const name = inject("httpServer");
  return name !== "serve" && hosts[name].kind === "web";
};

/** Serves a router on a free port until the test is over, and keeps its log. */
export async function serve(options: RouterOptions, hosting: Hosting = {}): Promise<RoutedService> {
  const isOfService = inject("httpServer") === "serve" && isAlone(options, hosting);
  return isOfService ? await serveAlone(options, hosting) : await serveHosted(options, hosting);
}

/** Serves in an app of the server under test. */
async function serveHosted(options: RouterOptions, hosting: Hosting): Promise<RoutedService> {
  const { at = "/", before = [], behind = [], maxHeaderSize, ...elsewhere } = hosting;
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  const around = { at, before: [watchAnswers(options), ...before], behind };
  const { app, served } = await host({ logger, ...options }, around, elsewhere);
  const server = createServer({ ...(maxHeaderSize !== undefined && { maxHeaderSize }) }, app).listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAtEnd(server, served);
  return Object.assign(new Service((server.address() as AddressInfo).port, at), { served, server, lines });
}

/** Closes what a test has served, once it is over. A test may have closed it itself, also by a close that fails. */
function closeAtEnd(server: Server, served: RoutedService["served"]): void {
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await served.close({ graceMs: 0 }).catch(() => undefined);
  });
}

/** Returns true if nothing of a host stands beside the service under test. */
function isAlone({ middleware }: RouterOptions, { at, before, behind, onHost, onExpress }: Hosting): boolean {
  return [middleware, at, before, behind, onHost, onExpress].every((each) => each === undefined);
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
  noteServer({ server: "serve" });
  closeAtEnd(server, served);
  return Object.assign(new Service(Number(new URL(url).port), "/"), { served, server, lines });
}

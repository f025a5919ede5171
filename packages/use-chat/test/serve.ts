import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hosts } from "@troupe-internal/web-servers";
import { createLogger } from "@troupe/core";
import { createHandler, createRouter, createService } from "@troupe/core/service";
import type { Principal, ServiceOptions, ServiceRequest } from "@troupe/core/service";
import type { Protocol, Service } from "@troupe/core/transport";
import { http } from "@troupe/http";
import type { RequestHandler } from "express";
import { inject, onTestFinished } from "vitest";
import { chatStream } from "../src/index.ts";
import type { ChatStreamOptions } from "../src/index.ts";
import { ServiceClient } from "./service.ts";
import { watchAnswers } from "./watch-answers.ts";

/** The options of the protocol, and the host around it. */
export type Hosting = {
  chat?: ChatStreamOptions;
  /** The protocols that are spoken. @default HTTP and chats */
  protocols?: readonly Protocol[];
  /** The host's handlers before the service. */
  before?: readonly RequestHandler[];
  /** The reason why a test needs a server over Node's requests, where other tests have web-standard ones. */
  onNode?: string;
};

/** A client of a service under test, with the service behind it. */
export type TestService = ServiceClient & { readonly served: Service };

/**
 * Serves over HTTP and to `useChat` on a free port until the test is over, and keeps the log. Believes the headers
 * `x-test-user` and `x-test-tenant`.
 */
export async function serve(options: ServiceOptions, hosting: Hosting = {}): Promise<TestService> {
  const { chat, before = [], onNode, protocols = [http(), chatStream(chat)] } = hosting;
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new ServiceClient((server.address() as AddressInfo).port);
  const logger = createLogger({ level: "debug", write: (line) => client.lines.push(line) });
  const served = createService({ logger, authenticate: readUser, ...options });
  const name = inject("httpServer");
  const host = hosts[onNode !== undefined || name === "serve" ? "node" : name];
  const around = { at: "/", before: [watchAnswers(served), ...before], behind: [] };
  const app =
    host.kind === "node"
      ? await host.mount({ ...around, handler: createRouter(served, protocols) })
      : await host.mount({ ...around, handler: async (request) => await createHandler(served, protocols)(request) });
  server.on("request", app);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await served.close({ graceMs: 0 });
  });
  return Object.assign(client, { served });
}

function readUser({ headers }: ServiceRequest): Principal | undefined {
  const [userId, tenantId] = [headers.get("x-test-user"), headers.get("x-test-tenant")];
  return userId === null ? undefined : { userId, ...(tenantId !== null && { tenantId }) };
}

/** The headers that name the user of a request. */
export function as(userId: string, tenantId?: string): Record<string, string> {
  return { "x-test-user": userId, ...(tenantId !== undefined && { "x-test-tenant": tenantId }) };
}

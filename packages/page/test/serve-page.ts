import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import express from "express";
import type { Express } from "express";
import { onTestFinished } from "vitest";
import { createPage } from "../src/create-page.ts";
import type { MountedPageOptions } from "../src/create-page.ts";

/** Serves the page until the test is over, and returns its origin. `before` may add what comes before it. */
export async function servePage(
  options: MountedPageOptions = {},
  before: (app: Express) => void = () => {},
): Promise<string> {
  const app = express();
  before(app);
  app.use(createPage({ logger: createLogger({ level: "silent" }), ...options }));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Has a request's principal taken from its header `x-user`, as a host's authentication would do. */
export function usersByHeader(app: Express): void {
  app.use((request, _, next) => {
    const userId = request.headers["x-user"];
    if (typeof userId === "string") (request as { principal?: unknown }).principal = { userId };
    next();
  });
}

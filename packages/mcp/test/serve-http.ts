import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import express from "express";
import type { RequestHandler } from "express";
import { onTestFinished } from "vitest";
import type { McpServerOptions } from "../src/index.ts";
import { serveAgents } from "./served-agents.ts";
import type { Watched } from "./served-agents.ts";

/** Agents that are served over HTTP, with the lines of their log. */
export type ServedHttp = Watched & { url: string; lines: string[]; http: Server };

/** Serves the agents as a handler of Express, behind other handlers, until the test is over. */
export async function serveHttp(options: McpServerOptions = {}, before: RequestHandler[] = []): Promise<ServedHttp> {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
  const watched = serveAgents({ logger, ...options });
  const app = express();
  app.use("/mcp", ...before, watched.server.handler);
  const http = createServer(app).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(async () => {
    await watched.server.close();
    http.closeAllConnections();
    http.close();
  });
  return { ...watched, lines, http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
}

/** A request of the stateless revision by hand. */
export async function post(
  url: string,
  method: string,
  {
    params = {},
    headers = {},
    capabilities = {},
    signal,
  }: { params?: object; headers?: Record<string, string>; capabilities?: object; signal?: AbortSignal } = {},
): Promise<Response> {
  const { name: called, taskId, _meta: given } = params as { name?: string; taskId?: string; _meta?: object };
  const name = called ?? taskId;
  const _meta = {
    ...given,
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  return await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    ...(signal && { signal }),
  });
}

import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { createLogger } from "@troupe/core";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import type { McpRequest } from "./answer-request.ts";
import { HttpSide } from "./http-side.ts";
import { readMcpServerOptions } from "./mcp-server-options.ts";
import type { ServerParts } from "./tasks/server-parts.ts";
import { serveAgents } from "../../test/served-agents.ts";

it("the HTTP side of an MCP server closes what it made for its first requests, also while it is made, and answers each request [async.interleavings]", async () => {
  await checkInterleavings(serve, { seed: 38_105 });
});

function serve(held: HeldCalls): Scene {
  const { agents } = serveAgents({});
  const settings = readMcpServerOptions({ agents, logger: createLogger({ level: "error", write: () => undefined }) });
  const handlers: { closes: number; answering: number }[] = [];
  const library = {
    createMcpHandler: () => {
      const handler = { closes: 0, answering: 0 };
      handlers.push(handler);
      const fetch = async (): Promise<Response> => await held.hold("an answer", () => Response.json({}));
      return { fetch, close: async () => void (handler.closes += 1) };
    },
  };
  const loadParts = async (): Promise<ServerParts> => {
    const parts = { library, settings, callers: new WeakMap() } as unknown as ServerParts;
    return await held.hold("the library", () => parts, { canFail: false });
  };
  const http = new HttpSide(settings, loadParts);
  const responses: FakeResponse[] = [];
  let isClosed = false;
  return {
    operations: {
      "a request": async () => {
        const response = new FakeResponse(isClosed);
        responses.push(response);
        const headers = { host: "localhost" };
        const request = { method: "POST", url: "/", headers, headersDistinct: {}, body: { method: "ping" } };
        await http.serve(request as unknown as McpRequest, response as unknown as ServerResponse);
      },
      "a client leaves": () => responses.find(({ destroyed }) => !destroyed)?.destroy(),
    },
    end: async () => {
      await http.close();
      isClosed = true;
    },
    afterwards: () => {
      expect(handlers.length).toBeLessThanOrEqual(1);
      expect(handlers.map(({ closes }) => closes)).toEqual(handlers.map(() => 1));
      expect(responses.filter(({ destroyed, writableEnded }) => !destroyed && !writableEnded)).toEqual([]);
    },
  };
}

/** A response that is closed when it is ended or its client leaves. */
class FakeResponse extends EventEmitter {
  headersSent = false;
  destroyed = false;
  writableEnded = false;
  writableFinished = false;
  readonly cameLate: boolean;

  constructor(cameLate: boolean) {
    super();
    this.cameLate = cameLate;
  }

  setHeader(): this {
    return this;
  }

  setHeaders(): this {
    return this;
  }

  writeHead(): this {
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  write(): boolean {
    return true;
  }

  end(): this {
    this.writableEnded = true;
    this.writableFinished = true;
    queueMicrotask(() => this.emit("close"));
    return this;
  }

  destroy(): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    queueMicrotask(() => this.emit("close"));
    return this;
  }
}

import { createLogger } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { HttpSide } from "./http-side.ts";
import { readProtocolOptions } from "./mcp-server-options.ts";
import type { ServerParts } from "./tasks/server-parts.ts";
import { exchangeOf, FakeResponse } from "../../test/exchanges.ts";
import { serveAgents } from "../../test/served-agents.ts";

it("the HTTP side of an MCP server closes what it made for its first requests, also while it is made, and answers each request [async.interleavings]", async () => {
  await checkInterleavings(serve, { seed: 38_105 });
});

function serve(held: HeldCalls): Scene {
  const { agents } = serveAgents({});
  const service = createService({ agents, logger: createLogger({ level: "error", write: () => undefined }) });
  const settings = readProtocolOptions({}, "mcp");
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
    const parts = { library, service, settings, callers: new WeakMap() } as unknown as ServerParts;
    return await held.hold("the library", () => parts, { canFail: false });
  };
  const http = new HttpSide(service, settings, loadParts);
  const responses: ClosingResponse[] = [];
  return {
    operations: {
      "a request": async () => {
        const response = new ClosingResponse();
        responses.push(response);
        const exchange = exchangeOf({ headers: { host: "localhost" } }, response);
        await http.serve(exchange).catch((error: unknown) => http.fail(error, exchange));
      },
      "a client leaves": () => responses.find(({ destroyed }) => !destroyed)?.destroy(),
    },
    end: async () => await http.close(),
    afterwards: () => {
      expect(handlers.length).toBeLessThanOrEqual(1);
      expect(handlers.map(({ closes }) => closes)).toEqual(handlers.map(() => 1));
      expect(responses.filter(({ destroyed, writableEnded }) => !destroyed && !writableEnded)).toEqual([]);
    },
  };
}

/** A response that is closed when it is ended or its client leaves. */
class ClosingResponse extends FakeResponse {
  override end(): this {
    super.end();
    this.writableFinished = true;
    queueMicrotask(() => this.emit("close"));
    return this;
  }

  override destroy(): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    queueMicrotask(() => this.emit("close"));
    return this;
  }
}

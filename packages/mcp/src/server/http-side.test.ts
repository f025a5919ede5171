import { createLogger, TroupeError } from "@troupe/core";
import { createService } from "@troupe/core/service";
import * as library from "@modelcontextprotocol/server";
import { describe, expect, it, vi } from "vitest";
import type { Caller } from "./call-tool.ts";
import { HttpSide } from "./http-side.ts";
import { readProtocolOptions } from "./mcp-server-options.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";
import { readServedTools } from "./served-tools.ts";
import type { ServerParts } from "./tasks/server-parts.ts";
import { exchangeOf, FakeResponse } from "../../test/exchanges.ts";
import { serveAgents } from "../../test/served-agents.ts";

type Factory = Parameters<typeof library.createMcpHandler>[0];
type HandlerOptions = NonNullable<Parameters<typeof library.createMcpHandler>[1]>;
type Asked = { authInfo: object; parsedBody?: unknown };

/** The HTTP side of a server with a fake handler of the library, and what that handler and the log have got. */
function startSide({ extend, ...options }: McpServerOptions = {}, loading?: () => Promise<ServerParts>) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(JSON.parse(line) as never) });
  const { agents } = serveAgents();
  const service = createService({ agents, logger, ...options });
  const settings = readProtocolOptions({ extend }, "mcp");
  const callers = new WeakMap<object, Caller>();
  const made: { factory: Factory; options: HandlerOptions }[] = [];
  const fetched: Asked[] = [];
  const close = vi.fn<() => Promise<void>>(async () => await Promise.resolve());
  const notify = { toolsChanged: () => {} };
  const createMcpHandler = (factory: Factory, given: HandlerOptions) => {
    made.push({ factory, options: given });
    const fetch = async (_request: Request, asked: Asked) => {
      fetched.push(asked);
      return await Promise.resolve(new Response(null, { status: 202 }));
    };
    return { fetch, close, notify };
  };
  const parts = {
    library: { ...library, createMcpHandler },
    service,
    settings,
    tools: readServedTools(service, { owner: "mcp", mayBeEmpty: false }),
    callers,
    notedCalls: new WeakMap(),
  } as unknown as ServerParts;
  const loadParts = vi.fn<() => Promise<ServerParts>>(loading ?? (async () => await Promise.resolve(parts)));
  const side = new HttpSide(service, settings, loadParts);
  const serve = async (more: object = {}, response = new FakeResponse()) => {
    const exchange = exchangeOf({ headers: { host: "localhost" }, ...more }, response, logger);
    await side.serve(exchange).catch((error: unknown) => side.fail(error, exchange));
    return response;
  };
  const callerOf = (asked: Asked | undefined) => callers.get(asked?.authInfo ?? {});
  return { side, serve, lines, made, fetched, loadParts, close, notify, callerOf };
}

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

const shutDown = { error: { code: -32_603, message: "The server is shutting down.", data: { code: "unavailable" } } };

describe("a request over HTTP", () => {
  it("a request hands on an object of its own with the token that the host has verified, and its caller by that object", async () => {
    const { serve, fetched, callerOf, made } = startSide();
    const auth = { token: "t", clientId: "c", scopes: ["read"], extra: { a: 1 } };
    await serve({ auth, principal: { userId: "ada" } });
    await serve({ auth });
    await serve();

    expect(fetched).toStrictEqual([
      { authInfo: auth, parsedBody: { method: "ping" } },
      { authInfo: auth, parsedBody: { method: "ping" } },
      { authInfo: { token: "", clientId: "", scopes: [] }, parsedBody: { method: "ping" } },
    ]);
    expect(new Set([auth, ...fetched.map(({ authInfo }) => authInfo)]).size).toBe(4);
    expect(fetched.map((asked) => callerOf(asked)?.opts.userId)).toEqual(["ada", undefined, undefined]);
    expect(made).toHaveLength(1);
  });

  it.each([
    [true, false],
    [false, true],
  ])(
    "a request is answered once its response closes, and its client has left unless it was sent: %s",
    async (isSent, hasLeft) => {
      const { serve, fetched, callerOf } = startSide();
      const response = await serve();
      const { signal, answered } = callerOf(fetched[0]) ?? {};
      const heard = vi.fn<() => void>();
      void answered?.then(heard);
      await turn();
      expect([signal?.aborted, heard.mock.calls.length]).toEqual([false, 0]);

      response.close(isSent);
      await turn();
      expect([signal?.aborted, heard.mock.calls.length]).toEqual([hasLeft, 1]);
    },
  );

  it.each<[string, object, number]>([
    ["of another site", { headers: { host: "localhost", origin: "https://evil.example" } }, 403],
    ["with a user that is no user", { principal: { userId: 7 } }, 500],
    ["with a key sent twice", { headers: { "x-api-key": "one-key, two-keys" } }, 400],
  ])("a request %s is refused before the library is loaded", async (_, more, status) => {
    const { serve, loadParts } = startSide();
    expect((await serve(more)).status).toBe(status);
    expect(loadParts).not.toHaveBeenCalled();
  });

  it("logs an error for a fault of the service, and tells the client nothing of it", async () => {
    const { serve, lines } = startSide({}, async () => await Promise.reject(new Error("the library is broken")));
    const response = await serve();

    expect(response.status).toBe(500);
    expect(response.body).not.toContain("broken");
    expect(lines).toMatchObject([
      {
        level: "error",
        message: "A request failed by a fault of the service.",
        requestId: expect.any(String) as string,
      },
    ]);
    expect(JSON.stringify(lines)).toContain("the library is broken");
  });

  it("logs nothing for a failure that is no fault of the service, and answers it", async () => {
    const failure = new TroupeError("unavailable", "The library is away.");
    const { serve, lines } = startSide({}, async () => await Promise.reject(failure));
    const response = await serve();

    expect([response.status, lines]).toEqual([503, []]);
    expect(JSON.parse(response.body)).toMatchObject({ error: { message: "The library is away." } });
  });

  it("cuts the connection off where the failure cannot be sent, and logs why", async () => {
    const { serve, lines } = startSide();
    const response = new FakeResponse();
    response.writeHead = () => {
      throw new Error("The host has replaced it.");
    };
    const destroy = vi.spyOn(response, "destroy");
    await serve({ headers: { host: "localhost", origin: "https://evil.example" } }, response);

    expect(destroy).toHaveBeenCalledOnce();
    expect(lines).toMatchObject([{ level: "error", message: "A failure could not be sent." }]);
  });

  it("logs nothing for a failure that comes after the client has left", async () => {
    const loading = Promise.withResolvers<ServerParts>();
    const { serve, lines } = startSide({}, async () => await loading.promise);
    const response = new FakeResponse();
    const serving = serve({}, response);
    response.close(false);
    loading.reject(new Error("aborted"));
    await serving;

    expect([response.status, lines]).toEqual([0, []]);
  });
});

it("a request whose client has left before is not waited for", async () => {
  const { serve, fetched, callerOf } = startSide();
  const response = new FakeResponse();
  response.close(false);
  await serve({}, response);
  const { signal, answered } = callerOf(fetched[0]) ?? {};
  await answered;
  expect([signal?.aborted, response.status]).toEqual([true, 0]);
});

describe("the library's handler of an HTTP side", () => {
  it("the library's handler has the limit of bodies, and tells the log the kind of its errors without their words", async () => {
    const { serve, made, lines } = startSide({ maxBodyBytes: 4321 });
    await serve();
    made[0]?.options.onerror?.(new SyntaxError("the body says sk-secret"));

    expect(made[0]?.options.maxRequestBodySize).toBe(4321);
    expect(lines).toMatchObject([{ level: "debug", message: "A request was refused.", error: "SyntaxError" }]);
    expect(JSON.stringify(lines)).not.toContain("sk-secret");
  });

  it("makes a server of the caller of each request, and of no user for a request that is unknown", async () => {
    const { serve, made, fetched } = startSide();
    await serve({ principal: { userId: "ada" } });
    await serve();
    const lists = [];
    for (const authInfo of [...fetched.map((asked) => asked.authInfo), {}, undefined]) {
      const context = { era: "legacy", ...(authInfo && { authInfo }) } as Parameters<Factory>[0];
      const server = (await made[0]?.factory(context)) as library.Server;
      lists.push(server.getCapabilities().tasks?.list);
    }

    expect(lists).toEqual([{}, undefined, undefined, undefined]);
  });

  it("makes a server of the revision that the library asks for", async () => {
    const { serve, made } = startSide();
    await serve();
    const capabilities = [];
    for (const era of ["modern", "legacy"] as const) {
      const server = (await made[0]?.factory({ era })) as library.Server;
      capabilities.push(Object.keys(server.getCapabilities()));
    }

    expect(capabilities).toEqual([
      ["tools", "extensions"],
      ["tools", "tasks"],
    ]);
  });
});

describe("the close of an HTTP side", () => {
  it("close closes the handler, refuses further requests without loading anything, and may be repeated", async () => {
    const { side, serve, close, loadParts } = startSide();
    await serve();
    loadParts.mockClear();
    await side.close();
    expect(close).toHaveBeenCalledOnce();
    await side.close();
    const response = await serve({ headers: { host: "localhost", origin: "https://evil.example" } });

    expect(response.status).toBe(503);
    expect(JSON.parse(response.body)).toMatchObject(shutDown);
    expect(loadParts).not.toHaveBeenCalled();
  });

  it.each([1, 2])("makes no handler for a request that waits for its part %i while it closes", async (held) => {
    const { side, serve, made, loadParts, fetched, lines } = startSide();
    const gate = Promise.withResolvers<void>();
    const load = loadParts.getMockImplementation();
    loadParts.mockImplementation(async () => {
      if (loadParts.mock.calls.length === held) await gate.promise;
      return (await load?.()) as ServerParts;
    });
    const serving = serve();
    await turn();
    const closing = side.close();
    gate.resolve();

    await expect(closing).resolves.toBeUndefined();
    expect((await serving).status).toBe(503);
    expect([made, fetched, lines]).toEqual([[], [], []]);
  });

  it("close ends the sessions also where the handler fails to close, and fails with its failure", async () => {
    const { side, serve, close } = startSide({ extend: () => {} });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    await serve({ headers, body: { jsonrpc: "2.0", id: 1, method: "initialize", params } });
    expect(side.targets.kept).toHaveLength(1);
    close.mockRejectedValueOnce(new Error("It does not end."));

    await expect(side.close()).rejects.toThrow("It does not end.");
    expect(side.targets.kept).toEqual([]);
  });
});

it("an HTTP side tells no clients of changes before its first request, and then those of the handler", async () => {
  const { side, serve, notify } = startSide();
  expect(side.targets).toStrictEqual({ kept: [], subscriptions: undefined });
  await serve();
  expect(side.targets).toStrictEqual({ kept: [], subscriptions: notify });
});

import { setImmediate as soon } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createLogger, TroupeError } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import type { ServiceOptions, WebHandler } from "@troupe/core/service";
import { watchTransport } from "@troupe-internal/stream-grammars";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveAgents } from "../../test/served-agents.ts";
import { mcp } from "./mcp.ts";
import type { McpOptions } from "./mcp-server-options.ts";

const url = "http://localhost/mcp";

/** Serves agents as a web-standard handler until the test is over. */
function serveHandler(options: ServiceOptions & { protocol?: McpOptions; basePath?: string } = {}) {
  const { protocol: own, basePath, ...shared } = options;
  const { agents, model, aborted } = serveAgents();
  const logger = createLogger({ level: "silent" });
  const service = createService({ agents, logger, ...shared });
  const protocol = mcp(own);
  const handler = createHandler(service, [protocol], { basePath });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return { service, protocol, handler, model, aborted };
}

/** Connects the official client of one era to a handler, without a network. */
async function connect(
  handler: WebHandler,
  { mode = "auto", at = url, headers = {} }: { mode?: "legacy" | "auto"; at?: string; headers?: object } = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(at), {
    fetch: async (asked, init) => await handler.fetch(new Request(asked, init)),
    requestInit: { headers: { ...headers } },
  });
  await client.connect(watchTransport(transport));
  onTestFinished(async () => await client.close());
  return client;
}

const params = (message: string) => ({ name: "ask_helper", arguments: { message } });

/** Makes a request of revision 2025-11-25 by hand. */
function rpcOf(method: string, given: object): Request {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return new Request(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: given }),
  });
}

describe.each(["legacy", "auto"] as const)(
  "mcp on a web-standard server, for an official client of mode %s",
  (mode) => {
    it("lists the tools of the service and answers their calls [mcp-server.web]", async () => {
      const client = await connect(serveHandler().handler, { mode });

      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["ask_helper", "ask_typed"]);
      expect(await client.callTool(params("tea"))).toMatchObject({
        structuredContent: { text: 'You said "tea", turn 1.', sessionId: expect.any(String) as string },
      });
    });

    it("sends progress while the run works [mcp-server.web] [mcp-server.progress]", async () => {
      const client = await connect(serveHandler().handler, { mode });
      const heard: (string | undefined)[] = [];
      const onprogress = ({ message }: { message?: string | undefined }) => void heard.push(message);
      await client.callTool(params("slow"), { onprogress });

      expect(heard).toEqual(["One ", "two ", "three."]);
    });

    it("cancels the run of a client that cancels its call [mcp-server.web] [mcp-server.cancel]", async () => {
      const { handler, model, aborted } = serveHandler();
      const client = await connect(handler, { mode });
      const abort = new AbortController();
      const asked = client.callTool(params("hang"), { signal: abort.signal }).catch((error: unknown) => error);
      await expect.poll(() => model.calls.length).toBe(1);
      abort.abort();

      expect(await asked).toBeInstanceOf(Error);
      await expect.poll(aborted).toBe(1);
    });

    it("takes its user from authenticate [mcp-server.web] [mcp-server.principal]", async () => {
      const authenticate = vi.fn<NonNullable<ServiceOptions["authenticate"]>>(({ headers }) => {
        const userId = headers.get("x-user");
        return userId === null ? undefined : { userId };
      });
      const { handler, service } = serveHandler({ authenticate });
      const ada = await connect(handler, { mode, headers: { "x-user": "ada" } });
      const bob = await connect(handler, { mode, headers: { "x-user": "bob" } });
      const { structuredContent } = await ada.callTool(params("one"));
      const { sessionId } = structuredContent as { sessionId: string };
      const again = { name: "ask_helper", arguments: { message: "two", sessionId } };

      expect(await ada.callTool(again)).toMatchObject({ structuredContent: { text: 'You said "two", turn 2.' } });
      expect(JSON.stringify(await bob.callTool(again))).not.toContain("turn 2");
      const [asked] = authenticate.mock.calls[0] ?? [];
      expect(asked).toMatchObject({ protocol: "mcp", path: "/mcp", native: expect.any(Request) as Request });
      expect(service.servedRuns.size).toBe(0);
    });
  },
);

describe("mcp", () => {
  it("ends with its service only when the results of all calls were read, by slow clients too", async () => {
    const { handler, service, model } = serveHandler();
    const [slow, quick] = [params("slow tea"), params("tea")].map(async (given) => {
      return await handler.fetch(rpcOf("tools/call", given));
    });
    const response = await slow;
    expect(await (await quick)?.text()).toContain("tea");
    await vi.waitFor(() => expect(model.calls).toHaveLength(2));
    await vi.waitFor(() => expect(service.servedRuns.size).toBe(0));
    let isClosed = false;
    const closing = service.close({ graceMs: 60_000 }).then(() => (isClosed = true));
    for (let turn = 0; turn < 200; turn++) await soon();

    expect(isClosed).toBe(false);
    expect(await response?.text()).toContain("slow tea");
    await closing;
  });

  it("is spoken at its path below that of the handler alone", async () => {
    const { handler } = serveHandler({ protocol: { path: "/tools" }, basePath: "/api" });
    const client = await connect(handler, { at: "http://localhost/api/tools" });

    expect((await client.listTools()).tools).toHaveLength(2);
    expect((await handler(new Request("http://localhost/api/mcp"))).status).toBe(404);
  });

  it("lets the platform wait for a task that outlives its answer [mcp-server.web]", async () => {
    const { handler, model } = serveHandler();
    const waits: Promise<unknown>[] = [];
    const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    expect((await handler(rpcOf("initialize", initialize))).status).toBe(200);
    const platform = { waitUntil: (work: Promise<unknown>) => void waits.push(work) };
    const reply = await handler(rpcOf("tools/call", { ...params("slow"), task: {} }), platform);
    expect(await reply.text()).toContain('"status":"working"');
    let isOver = false;
    const over = Promise.all(waits).then(() => (isOver = true));
    expect([waits.length, isOver]).toEqual([1, false]);
    await over;

    expect(model.calls.map(({ end }) => end)).toEqual(["completed"]);
  });

  it("answers errors of the service in the form of JSON-RPC [mcp-server.web]", async () => {
    const { handler } = serveHandler({
      allowedHosts: ["localhost"],
      authenticate: () => {
        throw new TroupeError("unauthorized", "Sign in.");
      },
    });
    for (const [host, status, code] of [
      ["evil.example", 403, "forbidden"],
      ["localhost", 401, "unauthorized"],
    ] as const) {
      const headers = { host, "content-type": "application/json" };
      const reply = await handler(new Request(`http://${host}/mcp`, { method: "POST", headers, body: "{}" }));
      expect([reply.status, await reply.json()]).toMatchObject([status, { jsonrpc: "2.0", error: { data: { code } } }]);
    }
  });

  it("refuses at construction a service without entries, and entries that would be one tool [mcp-server.options]", () => {
    const { agents } = serveAgents();
    const speak = (options: ServiceOptions) => createHandler(createService(options), [mcp()]);

    expect(() => speak({})).toThrow(
      "mcp needs at least one entry in agents, teams or workflows, or the option extend.",
    );
    const twice = { agents: { "a.b": agents.helper }, teams: { a_b: agents.helper } };
    expect(() => speak(twice)).toThrow('Two entries of mcp would be the tool "ask_a_b".');
    expect(() => createHandler(createService({ agents }), [mcp(), mcp()])).toThrow(
      "mcp and mcp both answer all methods of /mcp.",
    );
  });

  it("notifies the clients of all services that speak it [mcp-server.notify]", async () => {
    const protocol = mcp({ extend: (server) => void server.registerTool("own", {}, () => ({ content: [] })) });
    const heard: string[] = [];
    for (const name of ["one", "two"]) {
      const service = createService({ logger: createLogger({ level: "silent" }) });
      onTestFinished(async () => await service.close({ graceMs: 0 }));
      const client = await connect(createHandler(service, [protocol]), { mode: "legacy" });
      client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push(name));
    }

    await expect
      .poll(() => {
        protocol.notify.toolsChanged();
        return new Set(heard);
      })
      .toEqual(new Set(["one", "two"]));
  });

  it("is over only once its sessions are, one of which ends slowly [mcp-server.shutdown]", async () => {
    const [closing, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { handler, service } = serveHandler({
      protocol: {
        extend: (server) => {
          const close = server.close.bind(server);
          server.close = async () => {
            closing.resolve();
            await held.promise;
            await close();
          };
        },
      },
    });
    await connect(handler, { mode: "legacy" });
    let isClosed = false;
    const closed = service.close({ graceMs: 60_000 }).then(() => (isClosed = true));
    await closing.promise;
    for (let turn = 0; turn < 20; turn++) await soon();

    expect(isClosed).toBe(false);
    held.resolve();
    await closed;
  });

  it("ends its sessions with the service, and refuses what comes later [mcp-server.shutdown]", async () => {
    const { handler, service } = serveHandler({ protocol: { extend: () => undefined } });
    const client = await connect(handler, { mode: "legacy" });
    await client.callTool(params("tea"));
    await service.close({ graceMs: 0 });

    const reply = await handler(new Request(url));
    expect([reply.status, await reply.json()]).toMatchObject([
      503,
      { error: { message: "The server is shutting down." } },
    ]);
  });
});

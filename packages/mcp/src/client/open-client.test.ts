import { getEventListeners } from "node:events";
import { createLogger } from "@troupe/core";
import type { JSONRPCRequest } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "./open-client.ts";
import { ServerProblem } from "./server-problem.ts";

const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "fake", version: "1" },
};
const request: JSONRPCRequest = { jsonrpc: "2.0", id: "r1", method: "tools/list" };

function fail(message: string): never {
  throw new TypeError(message);
}

/** Opens a connection to a server that refuses each list of tools, or is away. Returns its transport, and the signals of the lists. */
async function openRefused(refuse: () => Response) {
  const signals: (AbortSignal | undefined)[] = [];
  const fetch = async (_url: unknown, init: RequestInit = {}): Promise<Response> => {
    const { id, method } = JSON.parse(typeof init.body === "string" ? init.body : "{}") as Partial<JSONRPCRequest>;
    if (method === "initialize") return Response.json({ jsonrpc: "2.0", id, result: initialized });
    if (method !== "tools/list") return new Response(null, { status: init.method === "GET" ? 405 : 202 });
    signals.push(init.signal ?? undefined);
    return refuse();
  };
  const { transport } = await openClient({
    settings: {
      name: "s",
      transport: "http",
      url: "http://localhost:1/mcp",
      protocol: "legacy",
      connectTimeoutMs: 10_000,
      maxMessageBytes: 1_000_000,
      fetch,
    } as unknown as Parameters<typeof openClient>[0]["settings"],
    headers: {},
    logger: createLogger({ level: "error", write: () => undefined }),
    signal: new AbortController().signal,
    problem: new ServerProblem(),
    onToolsChanged: () => undefined,
    onUnauthorized: () => undefined,
  });
  onTestFinished(async () => await transport.close());
  return { transport, signals };
}

describe("a request that could not be sent", () => {
  it.each([
    { how: "is refused", refuse: () => new Response("busy", { status: 503 }) },
    { how: "meets no server", refuse: () => fail("fetch failed") },
  ])("is forgotten when it $how: nothing is left at its signal, and its cancel ends nothing", async ({ refuse }) => {
    const { transport, signals } = await openRefused(refuse);
    const caller = new AbortController();
    await expect(transport.send(request, { requestSignal: caller.signal })).rejects.toThrow(/busy|fetch failed/);
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);

    await expect(transport.send(request)).rejects.toThrow(/busy|fetch failed/);
    await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "r1" } });
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, false]);
  });
});

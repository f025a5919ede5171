import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { createLogger } from "@troupe/core";
import { beforeAll, expect, it, vi } from "vitest";
import { loadLibrary } from "./library.ts";
import { McpToolServer } from "./mcp-tool-server.ts";

// The first connection loads it, which takes longer than a turn of the event loop.
beforeAll(loadLibrary);

it("an MCP server that is closed gets no request any more, whatever was under way, and opens again [async.interleavings]", async () => {
  await checkInterleavings((held) => callServer(held), { seed: 38_103, numRuns: 12, stepMs: 700 });
});

it("connections for headers of their own are no more than allowed, and end when they are idle, in any order [async.interleavings]", async () => {
  await checkInterleavings((held) => callForUsers(held), {
    seed: 38_104,
    numRuns: 60,
    maxSteps: 60,
    stepMs: 700,
    quietMs: 6000,
  });
});

it("connections for headers of their own end with their server, also those whose headers come late [async.interleavings]", async () => {
  const options = { seed: 38_107, numRuns: 12, stepMs: 700 };
  await checkInterleavings((held) => callForUsers(held, { closesAtEnd: true }), options);
});

const settings = {
  name: "s",
  transport: "http",
  url: "http://localhost:1/mcp",
  protocol: "legacy",
  logger: createLogger({ level: "error", write: () => undefined }),
} as const;

function callServer(held: HeldCalls): Scene {
  const http = new FakeHttp(held);
  const server = new McpToolServer({ ...settings, fetch: http.fetch });
  let isClosed = false;
  http.onRequest = (method) => held.check(!isClosed, `a request after the end: ${method}`);
  return {
    operations: {
      tools: async () => await server.getTools(),
      refresh: async () => await server.refresh(),
      resources: async () => await server.resources(),
    },
    end: async () => {
      await server.close();
      isClosed = true;
    },
    again: async () => {
      isClosed = false;
      await vi.advanceTimersByTimeAsync(60_000);
      await server.connect();
      await server.close();
    },
    afterwards: () => expect(http.openSessions).toEqual([]),
  };
}

function callForUsers(held: HeldCalls, { closesAtEnd = false } = {}): Scene {
  const http = new FakeHttp(held);
  let calls = 0;
  const server = new McpToolServer({
    ...settings,
    fetch: http.fetch,
    headers: async () => {
      // Of one user more than once, so that a connection is used again before it has been idle for long enough.
      const name = ["ada", "ada", "ada", "bob", "cleo"][(calls += 1) % 5] ?? "";
      return await held.hold(`the headers of ${name}`, () => ({ "x-user": name }));
    },
    maxConnections: 2,
    idleTimeoutMs: 600,
  });
  http.onRequest = (method, isInUse) => held.check(method !== "DELETE" || !isInUse, "a connection in use is ended");
  return {
    operations: {
      tools: async () => await server.getTools(),
      resources: async () => await server.resources(),
    },
    always: () => expect(http.openSessions.length).toBeLessThanOrEqual(2),
    ...(closesAtEnd && {
      end: async () => {
        // A close ends those in use, too.
        http.onRequest = () => undefined;
        await server.close();
        http.onRequest = (method) => held.check(false, `a request after the end: ${method}`);
      },
    }),
    // All were idle for long enough, or closed.
    afterwards: () => expect(http.openSessions).toEqual([]),
  };
}

type Message = { id?: number; method: string };

/** A server of revision 2025-11-25 with one tool, whose answers are held. */
class FakeHttp {
  readonly #sessions = new Map<string, "opening" | "open" | "lost" | "ended">();
  onRequest: (method: string, isInUse: boolean) => void = () => undefined;
  /** The sessions of the requests that are not answered. */
  readonly #asking: string[] = [];
  readonly #held: HeldCalls;

  constructor(held: HeldCalls) {
    this.#held = held;
  }

  /** The sessions that clients have opened and not ended. */
  get openSessions(): string[] {
    return [...this.#sessions].filter(([, state]) => state === "open").map(([id]) => id);
  }

  readonly fetch = async (_url: unknown, init: RequestInit = {}): Promise<Response> => {
    const message =
      typeof init.body === "string" ? (JSON.parse(init.body) as Message) : { method: init.method ?? "GET" };
    if (message.method === "GET") return new Response(null, { status: 405 });
    const session = new Headers(init.headers).get("mcp-session-id") ?? "";
    this.onRequest(message.method, this.#asking.includes(session));
    this.#asking.push(session);
    const options = { signal: init.signal ?? undefined };
    try {
      return await this.#held.hold(message.method, () => this.#answer(message, session), options);
    } catch (error) {
      // The client takes the connection for lost, and opens another.
      this.#sessions.set(session, "lost");
      throw error;
    } finally {
      this.#asking.splice(this.#asking.indexOf(session), 1);
    }
  };

  #answer({ id, method }: Message, session: string): Response {
    if (this.#sessions.get(session) === "ended") return new Response("no session", { status: 404 });
    if (id === undefined) return this.#take(method, session);
    const opened = method === "initialize" ? { "mcp-session-id": `s${this.#sessions.size}` } : undefined;
    if (opened !== undefined) this.#sessions.set(opened["mcp-session-id"], "opening");
    const headers = { "content-type": "application/json", ...opened };
    return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} }, { headers });
  }

  #take(method: string, session: string): Response {
    if (method === "DELETE") this.#sessions.set(session, "ended");
    else if (method === "notifications/initialized") this.#sessions.set(session, "open");
    return new Response(null, { status: method === "DELETE" ? 200 : 202 });
  }
}

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "fake", version: "1" },
  },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "resources/list": { resources: [] },
};

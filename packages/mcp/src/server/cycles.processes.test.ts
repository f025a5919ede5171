import { fileURLToPath } from "node:url";
import type * as Library from "@modelcontextprotocol/server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { watchTransport } from "@troupe-internal/stream-grammars";
import { describe, expect, it } from "vitest";
import {
  children,
  collectGarbage,
  descriptors,
  heapUsed,
  processListeners,
  timers,
} from "../../test/held-resources.ts";
import { serveHttp } from "../../test/serve-http.ts";
import type { ServedHttp } from "../../test/serve-http.ts";
import { callTool } from "../../test/start.ts";
import { ModernClient } from "../../test/task-clients.ts";
import { McpToolServer } from "../client/mcp-tool-server.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";

const megabyte = 1024 * 1024;
const program = fileURLToPath(new URL("../../test/served-agents.ts", import.meta.url));
/** 1,000 over stdio on demand: `TROUPE_MCP_CYCLES=1000`. */
const stdioCycles = Number(process.env["TROUPE_MCP_CYCLES"] ?? 50);
/** A process takes a second to start, and several on a busy machine. */
const stdioTimeoutMs = Math.max(600_000, stdioCycles * 6000);
const httpCycles = 1000;

type Ending = "leaves" | "ends its session";

async function cycle(served: ServedHttp, mode: "auto" | "legacy", ending: Ending): Promise<void> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = watchTransport(new StreamableHTTPClientTransport(new URL(served.url)));
  await client.connect(transport);
  const result = await client.callTool({ name: "ask_helper", arguments: { message: "tea" } });
  expect(result).toMatchObject({ structuredContent: { text: 'You said "tea", turn 1.' } });
  if (ending === "ends its session") await transport.terminateSession();
  await client.close();
  served.model.calls.length = 0;
  served.lines.length = 0;
}

/** The servers of the library that were made and are not collected. */
class AliveServers {
  readonly #made = new Set<WeakRef<object>>();
  /** Adds a tool of the host, so that sessions are kept. */
  readonly extend = (server: Library.McpServer): void => {
    this.#made.add(new WeakRef(server));
    server.registerTool("wait", { description: "Waits." }, () => ({ content: [] }));
  };

  get count(): number {
    collectGarbage();
    for (const made of this.#made) if (made.deref() === undefined) this.#made.delete(made);
    return this.#made.size;
  }
}

async function openConnections({ http }: ServedHttp): Promise<number> {
  return await new Promise((resolve, reject) => {
    http.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** Connects and closes a thousand times. Some connections are kept for later requests, by the pool of the client's process. */
async function expectNothingLeft(served: ServedHttp, connect: () => Promise<void>): Promise<void> {
  for (let warm = 0; warm < 100; warm++) await connect();
  const before = { heap: heapUsed(), descriptors: descriptors(), listeners: processListeners(), timers: timers() };
  for (let count = 0; count < httpCycles; count++) await connect();

  // Each run leaves a session of two messages in the memory of its agent.
  expect(heapUsed() - before.heap).toBeLessThan(12 * megabyte);
  await expect.poll(descriptors).toBeLessThanOrEqual(before.descriptors + 8);
  expect(processListeners()).toBe(before.listeners);
  await expect.poll(timers).toBeLessThanOrEqual(before.timers + 8);
  expect(await openConnections(served)).toBeLessThan(20);
}

describe.skipIf(process.platform !== "linux")("clients that come and go again and again", () => {
  it.each([
    ["auto", "leaves"],
    ["legacy", "leaves"],
  ] as const)("leave nothing on a server of agents over HTTP, with %s [mcp-server.http]", async (mode, ending) => {
    const served = await serveHttp();
    await expectNothingLeft(served, async () => await cycle(served, mode, ending));
  });

  it("leave nothing of 1,000 tasks but the newest results [mcp-server.task-bounds]", async () => {
    const served = await serveHttp();
    const client = new ModernClient(served.url);
    const take = async (count: number): Promise<void> => {
      const created = Array.from({ length: count }, async () => await client.call("ask_helper", { message: "tea" }));
      for (const { taskId } of await Promise.all(created)) {
        await expect.poll(async () => (await client.get(taskId)).status).toBe("completed");
      }
      served.model.calls.length = 0;
      served.lines.length = 0;
    };
    // So many results are kept.
    for (let warm = 0; warm < 10; warm++) await take(100);
    const before = { heap: heapUsed(), timers: timers() };
    for (let count = 0; count < 10; count++) await take(100);

    // Each run leaves a session of two messages in the memory of its agent.
    expect(heapUsed() - before.heap).toBeLessThan(16 * megabyte);
    await expect.poll(timers).toBeLessThanOrEqual(before.timers + 8);
  }, 240_000);

  it.each<{ mode: "auto" | "legacy"; ending: Ending; options: McpServerOptions; kept: number }>([
    { mode: "auto", ending: "leaves", options: {}, kept: 0 },
    { mode: "legacy", ending: "ends its session", options: {}, kept: 0 },
    { mode: "legacy", ending: "leaves", options: { maxSessions: 10 }, kept: 10 },
  ])(
    "leave nothing on a server with extend, with $mode, where each $ending ($options) [mcp-server.sessions]",
    async ({ mode, ending, options, kept }) => {
      const alive = new AliveServers();
      const served = await serveHttp({ ...options, extend: alive.extend });
      await expectNothingLeft(served, async () => await cycle(served, mode, ending));

      // The last one may be held by what the engine has not cleared yet.
      await expect.poll(() => alive.count).toBeLessThanOrEqual(kept + 2);
      await served.server.close();
      await expect.poll(() => alive.count).toBeLessThanOrEqual(2);
    },
  );

  it(
    `leave no process after ${stdioCycles} connections over stdio [mcp-server.stdio]`,
    async () => {
      const args = ["--disable-warning=ExperimentalWarning", "--conditions=@troupe/source", program];
      const connect = async () => {
        const team = new McpToolServer({ name: "team", transport: "stdio", command: process.execPath, args });
        const tools = await team.getTools();
        expect(await callTool(tools, "team__ask_helper", { args: { message: "tea" } })).toMatchObject({
          content: 'You said "tea", turn 1.',
        });
        await team.close();
      };
      for (let warm = 0; warm < 5; warm++) await connect();
      const before = { heap: heapUsed(), descriptors: descriptors(), children: children() };
      for (let count = 0; count < stdioCycles; count++) await connect();

      expect(children()).toBeLessThanOrEqual(before.children);
      await expect.poll(descriptors).toBeLessThanOrEqual(before.descriptors);
      expect(heapUsed() - before.heap).toBeLessThan(5 * megabyte);
    },
    stdioTimeoutMs,
  );
});

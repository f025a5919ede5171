import { PassThrough } from "node:stream";
import type { McpServer } from "@modelcontextprotocol/server";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { serveHttp } from "../../test/serve-http.ts";
import { openSession } from "../../test/session-client.ts";

beforeAll(async () => void (await import("@modelcontextprotocol/server/stdio")));

const clientInfo = { name: "t", version: "1" };
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };

/** Replaces the standard input and output of this process until the test is over. Returns the input. */
function replaceStandardStreams(): PassThrough {
  const stdin = new PassThrough();
  const own = Object.getOwnPropertyDescriptor(process, "stdin");
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  const writeOut = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((_text, _encoding?: unknown, done?: unknown) => {
      if (typeof done === "function") (done as () => void)();
      return true;
    });
  onTestFinished(() => {
    writeOut.mockRestore();
    if (own !== undefined) Object.defineProperty(process, "stdin", own);
  });
  return stdin;
}

describe("a server with clients over HTTP and over stdio", () => {
  it("tells all of them of a change: each session over HTTP, and the client over stdio [mcp-server.notify]", async () => {
    const stdin = replaceStandardStreams();
    const made: McpServer[] = [];
    const served = await serveHttp({
      extend: (server) => {
        server.registerTool("own", {}, () => ({ content: [] }));
        made.push(server);
      },
    });
    await openSession(served);
    void served.server.serveStdio();
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`);
    await vi.waitFor(() => expect(made).toHaveLength(2));
    await openSession(served);
    const told = made.map(({ server }) => vi.spyOn(server, "sendToolListChanged").mockResolvedValue());
    await vi.waitFor(() => expect(made.every(({ server }) => server.transport !== undefined)).toBe(true));
    served.server.notify.toolsChanged();

    expect(told.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
  });
});

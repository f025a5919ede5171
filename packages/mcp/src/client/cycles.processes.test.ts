import { describe, expect, it } from "vitest";
import { children, descriptors, heapUsed } from "../../test/held-resources.ts";
import { callTool, startFixtureHttp, stdioServer } from "../../test/start.ts";
import { McpToolServer } from "./mcp-tool-server.ts";

const megabyte = 1024 * 1024;
/** 1,000 over stdio on demand: `TROUPE_MCP_CYCLES=1000`. */
const stdioCycles = Number(process.env["TROUPE_MCP_CYCLES"] ?? 50);

async function cycle(server: McpToolServer): Promise<void> {
  const tools = await server.getTools();
  expect(await callTool(tools, "box__echo", { args: { text: "hi" } })).toBe("hi");
  await server.close();
}

describe.skipIf(process.platform !== "linux")("connecting and closing again and again", () => {
  it(`leaves nothing after ${stdioCycles} processes`, async () => {
    for (let warm = 0; warm < 5; warm++) await cycle(stdioServer());
    const before = { heap: heapUsed(), descriptors: descriptors(), children: children() };
    for (let count = 0; count < stdioCycles; count++) await cycle(stdioServer());

    expect(children()).toBeLessThanOrEqual(before.children);
    await expect.poll(descriptors).toBeLessThanOrEqual(before.descriptors);
    expect(heapUsed() - before.heap).toBeLessThan(5 * megabyte);
  });

  it.each([
    ["a server each", false],
    ["one server that is opened again", true],
  ])("leaves nothing after 1,000 connections over HTTP, with %s", async (_, isOne) => {
    const fixture = await startFixtureHttp();
    const make = () => new McpToolServer({ name: "box", transport: "http", url: fixture.url });
    const one = make();
    const connect = async () => {
      const server = isOne ? one : make();
      await server.connect();
      await cycle(server);
      fixture.requests.length = 0;
    };
    for (let warm = 0; warm < 100; warm++) await connect();
    const before = { heap: heapUsed(), descriptors: descriptors() };
    for (let count = 0; count < 1000; count++) await connect();

    expect(fixture.sessions.size).toBe(0);
    expect(heapUsed() - before.heap).toBeLessThan(10 * megabyte);
    // Connections to the server are kept for later requests of the process, a few of them.
    await expect.poll(descriptors).toBeLessThanOrEqual(before.descriptors + 8);
    await fixture.close();
  });
});

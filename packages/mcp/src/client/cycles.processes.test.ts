import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { callTool, startFixtureHttp, stdioServer } from "../../test/start.ts";
import { McpToolServer } from "../index.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const megabyte = 1024 * 1024;
/** 1,000 over stdio on demand: `TROUPE_MCP_CYCLES=1000`. */
const stdioCycles = Number(process.env["TROUPE_MCP_CYCLES"] ?? 50);

function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

function children(): number {
  const listed = execFileSync("ps", ["-o", "pid=", "--ppid", String(process.pid)], { encoding: "utf8" });
  // One of them is ps.
  return listed.trim().split("\n").length - 1;
}

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

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { heapUsed } from "../../test/held-resources.ts";
import { hostileBehaviours } from "../../test/hostile-behaviours.ts";
import { connectHostile, costOfParsing, judge, mistakeOf, startHostileHttp } from "../../test/hostile-judge.ts";
import { callTool, startFixtureHttp } from "../../test/start.ts";
import { McpToolServer } from "./mcp-tool-server.ts";

let hostile: Awaited<ReturnType<typeof startHostileHttp>>;
let friendly: { server: McpToolServer; close: () => Promise<void> };
/** Milliseconds of processor time that a turn may take, whatever the message. */
const turnMs = 50;
/** Those of `JSON.parse` of the 5 MB of 60,000 tools: a little less than that where it was set, and more on a slower machine. */
let unitMs = 0;

beforeAll(async () => {
  hostile = await startHostileHttp();
  const fixture = await startFixtureHttp();
  const server = new McpToolServer({ name: "box", transport: "http", url: fixture.url });
  const close = async () => void (await Promise.all([server.close(), fixture.close()]));
  friendly = { server, close };
  unitMs = costOfParsing("60,000 tools");
});

afterAll(async () => {
  await hostile.close();
  await friendly.close();
});

const heaps: number[] = [];
const tries = 4;
const cases = Object.entries(hostileBehaviours).flatMap(([name, { only }]) => {
  return (["http", "stdio"] as const).filter((kind) => only === undefined || only === kind).map((kind) => [name, kind]);
});

describe("a server that misbehaves", { timeout: 120_000 }, () => {
  it.each(cases)(
    "a server that misbehaves with %s over %s fails clearly or is served, and holds up nobody else [mcp.hostile]",
    async (name, kind) => {
      const allowedMs = Math.max(turnMs, unitMs, 3 * costOfParsing(name));
      let longestMs = Infinity;
      // The first try compiles, and a collection of garbage falls in some try or other.
      for (let round = 0; round < tries && longestMs > allowedMs; round++) {
        const server = connectHostile(name, kind === "http" ? hostile.urlOf(name) : undefined);
        const { outcome, longestTurnMs } = await judge(name, server);
        longestMs = Math.min(longestMs, longestTurnMs);

        expect(mistakeOf(name, outcome)).toBeUndefined();
      }
      const tools = await friendly.server.getTools();

      expect(await callTool(tools, "box__echo", { args: { text: "still here" } })).toBe("still here");
      expect(longestMs, `milliseconds of ${Math.round(allowedMs)}`).toBeLessThanOrEqual(allowedMs);
      heaps.push(heapUsed());
    },
  );

  it("leaves no memory and no connection behind [mcp.hostile]", async () => {
    const resources = process.getActiveResourcesInfo().filter((name) => /Process|Pipe|Timeout/.test(name));

    expect(Math.min(...heaps.slice(-10))).toBeLessThan(Math.min(...heaps.slice(0, 10)) + 16 * 1024 * 1024);
    expect(resources.filter((name) => name === "ProcessWrap")).toHaveLength(1);
  });
});

import { Agent, createLogger, EventBus } from "@troupe/core";
import type { RunEvents } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { callContext, callTool, stdioServer } from "../../test/start.ts";
import { McpToolServer } from "./mcp-tool-server.ts";
import { closeKept, httpServer, kept, opened } from "../../test/kept-servers.ts";

afterEach(closeKept);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("an MCP server that is down", () => {
  it("costs a run its tools and one warning, and no more once it is up [mcp.down]", async () => {
    const { server, fixture } = await httpServer();
    fixture.intercept = (_, response) => {
      response.writeHead(503).end("key-of-nobody");
      return true;
    };
    const eventBus = new EventBus();
    const warnings: RunEvents["run.warning"][] = [];
    eventBus.on("run.warning", (warning) => void warnings.push(warning));
    const model = new ScriptedModel().respond(() => "Hi.");
    const agent = new Agent({ name: "a", model, tools: [server], eventBus });
    const { text } = await agent.run("Hello");

    expect(text).toBe("Hi.");
    expect(model.calls[0]?.options?.tools ?? []).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ code: "tool_server_unavailable", fields: { server: "box" } });
    expect(JSON.stringify(warnings)).not.toContain("key-of-nobody");
    fixture.intercept = () => false;
    await expect.poll(async () => (await server.getTools(callContext())).length).toBeGreaterThan(0);
  });

  it("fails connect and getTools outside of a run [mcp.down]", async () => {
    const { server, fixture } = await httpServer();
    await fixture.close();
    opened.splice(0);

    await expect(server.connect()).rejects.toMatchObject({
      code: "unavailable",
      message:
        'The MCP server "box" cannot be reached, or the connection broke off during connecting. The next call connects again.',
    });
    await expect(server.getTools()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("is asked again only after a while [mcp.backoff]", async () => {
    const { server, fixture, connects } = await httpServer({ protocol: "legacy" });
    fixture.intercept = (_, response) => {
      response.writeHead(503).end();
      return true;
    };
    await expect(server.connect()).rejects.toMatchObject({ fields: { status: 503 } });
    const failures = await Promise.allSettled(Array.from({ length: 20 }, async () => await server.getTools()));

    expect(connects()).toBe(1);
    for (const failure of failures) {
      expect(failure).toMatchObject({
        reason: {
          message: expect.stringMatching(/^The MCP server "box" is down. It is tried again in \d+ s\.$/) as string,
        },
      });
    }
  });

  it("keeps the tools that were known, for a run [mcp.down]", async () => {
    const { server, fixture } = await httpServer();
    const before = await server.getTools(callContext());
    fixture.intercept = (request, response) => {
      request.socket.destroy();
      response.destroy();
      return true;
    };
    await expect(callTool(before, "box__pid")).rejects.toMatchObject({ code: "unavailable" });

    expect(await server.getTools(callContext())).toEqual(before);
  });

  it("an MCP server that is down that never answers is given up after connectTimeoutMs, and its process ended [mcp.timeout]", async () => {
    const server = kept(stdioServer({ mode: "silent", connectTimeoutMs: 100 }));

    await expect(server.connect()).rejects.toMatchObject({
      code: "timeout",
      message: 'The MCP server "box" did not connect within 100 ms.',
    });
  });
});

describe("an MCP server that dies, restarts or breaks the connection", () => {
  it("fails the call, and the next one connects again [mcp.reconnect]", async () => {
    const server = kept(stdioServer());
    const tools = await server.getTools();
    const before = await callTool(tools, "box__pid");

    await expect(callTool(tools, "box__die")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(
        /the connection broke off during a call of the tool die\. The next call connects again\.$/,
      ) as string,
    });
    const after = await callTool(tools, "box__pid");
    expect(after).not.toBe(before);
  });

  it("fails the other calls that are under way, and none is made twice [mcp.reconnect]", async () => {
    const server = kept(stdioServer());
    const tools = await server.getTools();
    const hanging = [1, 2, 3].map(async () => await callTool(tools, "box__hang"));
    const settled = Promise.allSettled(hanging);
    await expect(callTool(tools, "box__die")).rejects.toMatchObject({ code: "unavailable" });

    for (const each of await settled)
      expect(each).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
  });

  it("has a new session when it has forgotten the old one, and the call succeeds [mcp.reconnect]", async () => {
    const { server, fixture, connects } = await httpServer();
    const tools = await server.getTools();
    fixture.sessions.clear();

    expect(await callTool(tools, "box__echo", { args: { text: "still here" } })).toBe("still here");
    expect(connects()).toBe(2);
  });

  it("fails a call whose stream of events breaks off, at once [mcp.reconnect]", async () => {
    const { server, fixture } = await httpServer();
    const tools = await server.getTools();
    fixture.intercept = (_, response, body) => {
      if (!body.includes("tools/call")) return false;
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n", () => response.destroy());
      return true;
    };
    await expect(callTool(tools, "box__pid")).rejects.toMatchObject({ code: "unavailable" });
    fixture.intercept = () => false;

    expect(await callTool(tools, "box__echo", { args: { text: "again" } })).toBe("again");
  });

  it("fails a call whose stream of events ends without an answer [mcp.reconnect]", async () => {
    const { server, fixture } = await httpServer();
    const tools = await server.getTools();
    fixture.intercept = (_, response, body) => {
      if (!body.includes("tools/call")) return false;
      response.writeHead(200, { "content-type": "text/event-stream" }).end(": bye\n\n");
      return true;
    };
    await expect(callTool(tools, "box__pid")).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each(["stdio", "http"])(
    "fails a call over %s whose answer is too large, and goes on [mcp.bounded]",
    async (kind) => {
      const maxMessageBytes = 100_000;
      const server =
        kind === "stdio" ? kept(stdioServer({ maxMessageBytes })) : (await httpServer({ maxMessageBytes })).server;
      const tools = await server.getTools();

      await expect(callTool(tools, "box__large")).rejects.toMatchObject({ code: "unavailable" });
      expect(await callTool(tools, "box__echo", { args: { text: "again" } })).toBe("again");
    },
  );

  it("mixes up no answers of calls at the same time", async () => {
    const { server } = await httpServer();
    const tools = await server.getTools();
    const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
    const said = await Promise.all(texts.map(async (text) => await callTool(tools, "box__echo", { args: { text } })));

    expect(said).toEqual(texts);
  });
});

describe("the process of an MCP server", () => {
  it("ends with all that it started, also a helper that ignores SIGTERM [mcp.close]", async () => {
    const server = stdioServer();
    const tools = await server.getTools();
    const pids = [await callTool(tools, "box__pid"), await callTool(tools, "box__orphan")].map(Number);
    const before = pids.map(isRunning);
    await server.close();

    expect(before).toEqual([true, true]);
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  });

  it("may write to its standard error stream and lines that are no messages, which go to the logger [mcp.logger]", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const server = kept(stdioServer({ mode: "noisy", logger }));
    const tools = await server.getTools();

    expect(await callTool(tools, "box__echo", { args: { text: "hi" } })).toBe("hi");
    await expect.poll(() => lines.join("\n")).toContain("The fixture has begun.");
    expect(lines.join("\n")).toContain("a line that is no message");
  });
});

describe("the credentials of an MCP server", () => {
  it("are in no error, event or log, whatever the server repeats [mcp.secrets]", async () => {
    const canary = "canary-0815-4711";
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const headers = { authorization: `Bearer ${canary}`, "x-team": `${canary}-team` };
    const { server, fixture } = await httpServer({ headers, logger });
    const tools = await server.getTools();
    const seen: unknown[] = [];
    const failures = [
      (status: number) => ({ status, body: `No access for ${canary}` }),
      (status: number) => ({
        status,
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -1, message: canary } }),
      }),
    ];
    for (const status of [400, 401, 403, 404, 429, 500, 200]) {
      for (const failure of failures) {
        fixture.intercept = (_, response, body) => {
          if (!body.includes("tools/call")) return false;
          response.writeHead(status, { "content-type": "application/json", "www-authenticate": `Bearer ${canary}` });
          response.end(failure(status).body);
          return true;
        };
        seen.push(await callTool(tools, "box__pid").catch((error: unknown) => error));
      }
    }
    const bus = new EventBus();
    bus.on("run.warning", (event) => void seen.push(event));
    fixture.intercept = (_, response) => {
      response.writeHead(401).end(canary);
      return true;
    };
    const other = kept(new McpToolServer({ name: "box", transport: "http", url: fixture.url, headers, logger }));
    await new Agent({ name: "a", model: new ScriptedModel("Hi."), tools: [other], eventBus: bus, logger }).run("Hi");
    fixture.intercept = () => false;
    seen.push(await callTool(tools, "box__echo", { args: { text: `You sent ${canary}` } }));

    const shown = seen.map((each) =>
      each instanceof Error ? [each.message, each.stack, JSON.stringify(each), each.cause] : each,
    );
    expect(shown).toHaveLength(16);
    expect(JSON.stringify(shown) + lines.join("\n")).not.toContain(canary);
  });
});

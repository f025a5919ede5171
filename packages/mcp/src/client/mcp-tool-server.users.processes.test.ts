import { afterEach, describe, expect, it } from "vitest";
import { callContext, callTool } from "../../test/start.ts";
import { closeKept, httpServer } from "../../test/kept-servers.ts";

afterEach(closeKept);

describe("an McpToolServer whose headers are a function", () => {
  const perUser = (more: object = {}) => ({
    headers: (context?: { userId?: string }) => ({ authorization: `Bearer token-of-${context?.userId}` }),
    ...more,
  });

  it("has a connection and tools of its own for each set of headers [mcp.users]", async () => {
    const { server, fixture, connects } = await httpServer(perUser());
    const [ada, bob] = [callContext({ userId: "ada" }), callContext({ userId: "bob" })];
    const [ofAda, ofBob] = await Promise.all([server.getTools(ada), server.getTools(bob)]);
    await server.getTools(ada);
    fixture.requests.splice(0);
    await callTool(ofAda, "box__echo", { args: { text: "hi" }, context: ada });
    await callTool(ofBob, "box__echo", { args: { text: "hi" }, context: bob });
    // Bob's run with Ada's tools: his token counts.
    await callTool(ofAda, "box__echo", { args: { text: "hi" }, context: bob });

    expect(connects()).toBe(0);
    expect(fixture.sessions.size).toBe(2);
    expect(ofAda[0]).not.toBe(ofBob[0]);
    const sent = fixture.requests.map(
      ({ headers }) => `${headers.authorization} in ${String(headers["mcp-session-id"])}`,
    );
    expect(sent.map((each) => each.split(" in ")[0])).toEqual(
      ["ada", "bob", "bob"].map((user) => `Bearer token-of-${user}`),
    );
    expect(sent[1]).toBe(sent[2]);
  });

  it("keeps at most maxConnections, and closes the one that was used longest ago [mcp.users]", async () => {
    const { server, fixture } = await httpServer(perUser({ maxConnections: 2 }));
    for (const userId of ["ada", "bob", "cleo", "dan"]) await server.getTools(callContext({ userId }));

    await expect.poll(() => fixture.sessions.size).toBe(2);
  });

  it("refuses a further user while all connections are in use [mcp.users]", async () => {
    const { server } = await httpServer(perUser({ maxConnections: 1 }));
    const abort = new AbortController();
    const ada = callContext({ userId: "ada", signal: abort.signal });
    const hanging = callTool(await server.getTools(ada), "box__hang", { context: ada }).catch(() => "aborted");

    await expect
      .poll(async () => await server.connect(callContext({ userId: "bob" })).catch((error: Error) => error.message))
      .toBe('All 1 connections to the MCP server "box" are in use. Raise maxConnections.');
    abort.abort();
    expect(await hanging).toBe("aborted");
  });

  it("closes a connection that was not used for idleTimeoutMs [mcp.users]", async () => {
    const { server, fixture, connects } = await httpServer(perUser({ idleTimeoutMs: 20 }));
    const context = callContext({ userId: "ada" });
    const tools = await server.getTools(context);

    await expect.poll(() => fixture.sessions.size).toBe(0);
    expect(await callTool(tools, "box__echo", { args: { text: "again" }, context })).toBe("again");
    expect(connects()).toBe(2);
  });
});

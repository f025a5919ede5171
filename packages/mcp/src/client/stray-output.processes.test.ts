import { afterEach, describe, expect, it } from "vitest";
import { stdioServer } from "../../test/start.ts";

const opened: { close(): Promise<void> }[] = [];

function kept<Value extends { close(): Promise<void> }>(value: Value): Value {
  opened.push(value);
  return value;
}

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

describe("a program that prints what is no JSON-RPC", () => {
  it.each(["nonsense", "chatty"])(
    "fails at once with a sentence that quotes nothing of it: %s [mcp.nonsense]",
    async (mode) => {
      const server = kept(stdioServer({ mode, connectTimeoutMs: 120_000 }));
      const failure = await server.connect().catch((error: unknown) => error);

      expect(failure).toMatchObject({
        code: "unavailable",
        message:
          'The MCP server "box" wrote lines that are no JSON-RPC messages to its standard output. Let it write them to the standard error stream, and check command and args.',
      });
      expect(JSON.stringify(failure)).not.toContain("secret-4711");
    },
  );

  it("is remembered, so that the next run does not pay for it again [mcp.nonsense]", async () => {
    const server = kept(stdioServer({ mode: "chatty", connectTimeoutMs: 120_000 }));
    await expect(server.getTools()).rejects.toThrow("no JSON-RPC");
    const again = await server.getTools().catch((error: unknown) => error);

    expect(again).toMatchObject({ message: expect.stringMatching(/is down\. It is tried again in/) as string });
    expect((again as Error).cause).toMatchObject({ message: expect.stringContaining("no JSON-RPC") as string });
  });

  it("a program that prints what is no JSON-RPC, and says no more is told of when the time for connecting is over, and left alone for longer than that [mcp.nonsense]", async () => {
    const server = kept(stdioServer({ mode: "greeting", connectTimeoutMs: 1500 }));

    await expect(server.connect()).rejects.toThrow("no JSON-RPC");
    await expect(server.connect()).rejects.toMatchObject({
      fields: { retryAfterMs: expect.toSatisfy((wait: number) => wait > 3000) as number },
    });
  });
});

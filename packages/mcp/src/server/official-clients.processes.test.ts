import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { watchTransport } from "@troupe-internal/stream-grammars";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveHttp } from "../../test/serve-http.ts";
import type { ServedHttp } from "../../test/serve-http.ts";

const clientInfo = { name: "test", version: "1" };

/** The part of both official clients that the tests use. */
type OfficialClient = {
  listTools(): Promise<{ tools: { name: string }[] }>;
  ask(message: string, options: { signal?: AbortSignal; onprogress?: (progress: object) => void }): Promise<object>;
  close(): Promise<void>;
};

async function connectFirst({ url }: ServedHttp): Promise<OfficialClient> {
  const client = new FirstClient(clientInfo);
  await client.connect(new FirstTransport(new URL(url)));
  return {
    listTools: async () => await client.listTools(),
    ask: async (message, options) =>
      await client.callTool({ name: "ask_helper", arguments: { message } }, undefined, options),
    close: async () => await client.close(),
  };
}

async function connectSecond({ url }: ServedHttp, mode: "auto" | "legacy"): Promise<OfficialClient> {
  const client = new Client(clientInfo, { versionNegotiation: { mode } });
  await client.connect(watchTransport(new StreamableHTTPClientTransport(new URL(url))));
  return {
    listTools: async () => await client.listTools(),
    ask: async (message, options) => await client.callTool({ name: "ask_helper", arguments: { message } }, options),
    close: async () => await client.close(),
  };
}

describe.each([
  ["of version 1", connectFirst],
  ["of version 2", async (served: ServedHttp) => await connectSecond(served, "auto")],
  ["of version 2 with initialize", async (served: ServedHttp) => await connectSecond(served, "legacy")],
] as const)("the official client %s", (_, connect) => {
  it("lists and calls tools with progress, and cancels a call [mcp-server.http] [mcp-server.cancel]", async () => {
    const served = await serveHttp();
    const client = await connect(served);
    onTestFinished(async () => await client.close());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["ask_helper", "ask_typed", "run_flow"]);

    const heard: object[] = [];
    const answer = await client.ask("slow", { onprogress: (progress) => void heard.push(progress) });
    expect(answer).toMatchObject({ structuredContent: { text: "One two three." } });
    expect(heard).toMatchObject([{ message: "One " }, { message: "two " }, { message: "three." }]);
    expect(await client.ask("fail", {})).toMatchObject({ isError: true });

    const abort = new AbortController();
    const before = served.model.calls.length;
    const asked = client.ask("hang", { signal: abort.signal });
    asked.catch(() => {});
    await expect.poll(() => served.model.calls.length).toBe(before + 1);
    abort.abort();
    await expect.poll(served.aborted).toBe(1);
  });
});

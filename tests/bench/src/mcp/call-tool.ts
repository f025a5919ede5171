import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { RunContext } from "@troupe/core";
import { McpToolServer } from "@troupe/mcp";
import { answerRounds } from "../answer-rounds.ts";

/** One call of a tool over HTTP: by the official library alone, or as a tool of an agent, which has the library inside. */
const url = process.env["BENCH_SERVER_URL"] ?? "";

async function byLibrary(): Promise<() => Promise<unknown>> {
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return async () => await client.callTool({ name: "hello", arguments: {} });
}

async function byTroupe(): Promise<() => Promise<unknown>> {
  const server = new McpToolServer({ name: "greeter", transport: "http", url });
  const [tool] = await server.getTools();
  if (tool?.execute === undefined) throw new Error("The server has no tool.");
  const { execute } = tool;
  // A call needs the signal of its run, and nothing else.
  const context = { signal: new AbortController().signal } as RunContext;
  return async () => await execute({}, context);
}

const call = await (process.env["BENCH_CANDIDATE"] === "library" ? byLibrary() : byTroupe());
answerRounds(async (count) => {
  for (let at = 0; at < count; at++) await call();
});

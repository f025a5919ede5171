import { startFixtureHttp } from "./start.ts";
import { McpToolServer } from "../src/client/mcp-tool-server.ts";

/** Servers that are open: `closeKept` closes them after each test. */
export const opened: { close(): Promise<void> }[] = [];

/** Notes a server to be closed after the test. */
export function kept<Value extends { close(): Promise<void> }>(value: Value): Value {
  opened.push(value);
  return value;
}

/** Closes the noted servers, the newest first. */
export async function closeKept(): Promise<void> {
  for (const each of opened.splice(0).toReversed()) await each.close();
}

/** Starts the fixture over HTTP, and a tool server named `box` for it. */
export async function httpServer(options: object = {}) {
  const fixture = kept(await startFixtureHttp());
  const server = kept(new McpToolServer({ name: "box", transport: "http", url: fixture.url, ...options }));
  const connects = () => fixture.requests.filter(({ rpc }) => rpc === "initialize").length;
  return { server, fixture, connects };
}

import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createLogger } from "@troupe/core";
import type { RunContext, ToolDef, ToolReturn } from "@troupe/core";
import { McpToolServer } from "../src/index.ts";
import type { McpToolServerOptions } from "../src/index.ts";
import { answer } from "./fixture-server.ts";

const program = fileURLToPath(new URL("fixture-server.ts", import.meta.url));

/** The fixture as a process, as a tool server named `box`. */
export function stdioServer({ mode, ...more }: Partial<McpToolServerOptions> & { mode?: string } = {}): McpToolServer {
  const args = ["--disable-warning=ExperimentalWarning", program, ...(mode === undefined ? [] : [mode])];
  return new McpToolServer({ name: "box", transport: "stdio", command: process.execPath, args, ...more });
}

/** An HTTP server of the fixture, with sessions, and what it was sent. */
export type FixtureHttp = {
  url: string;
  sessions: Set<string>;
  requests: { method: string; headers: IncomingHttpHeaders; rpc: string | undefined }[];
  /** Handles a request in place of the fixture when it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
  server: Server;
  close(): Promise<void>;
};

/** Starts the fixture over Streamable HTTP with sessions, without a stream of its own for notifications. */
export async function startFixtureHttp(): Promise<FixtureHttp> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
      handle(fixture, { request, response, body });
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const fixture: FixtureHttp = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    sessions: new Set(),
    requests: [],
    intercept: () => false,
    server,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return fixture;
}

type Exchanged = { request: IncomingMessage; response: ServerResponse; body: string };

function handle(fixture: FixtureHttp, { request, response, body }: Exchanged): void {
  const { method = "", headers } = request;
  const message = (body === "" ? {} : JSON.parse(body)) as { id?: number; method?: string };
  fixture.requests.push({ method, headers, rpc: message.method });
  if (fixture.intercept(request, response, body)) return;
  const end = (status: number, value?: object) => {
    response.writeHead(status, { "content-type": "application/json" }).end(value && JSON.stringify(value));
  };
  const session = headers["mcp-session-id"];
  if (message.method === "server/discover") {
    end(400, { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "Server not initialized" } });
  } else if (method === "GET") end(405);
  else if (method === "DELETE") {
    fixture.sessions.delete(String(session));
    end(200);
  } else if (message.method === "initialize") {
    const id = `session-${fixture.requests.length}`;
    fixture.sessions.add(id);
    response.setHeader("mcp-session-id", id);
    answer(message, (reply) => end(200, reply));
  } else if (!fixture.sessions.has(String(session))) end(404);
  else if (message.id === undefined) end(202);
  else stream(message, response);
}

function stream(message: { id?: number }, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  answer(message, (reply) => {
    response.write(`data: ${JSON.stringify(reply)}\n\n`);
    if ("id" in reply) response.end();
  });
}

/** The context of a tool call by hand, with the progress that was reported. */
export function callContext(more: Partial<RunContext> = {}): RunContext & { reported: unknown[] } {
  const reported: unknown[] = [];
  const context = {
    runId: "run-1",
    agentName: "agent",
    sessionId: "session-1",
    metadata: {},
    signal: new AbortController().signal,
    logger: createLogger(),
    toolCallId: "call-1",
    idempotencyKey: "key-1",
    report: (progress: unknown) => void reported.push(progress),
    reported,
    ...more,
  };
  return context;
}

/** Calls a tool of a server by its full name. */
export async function callTool(
  tools: readonly ToolDef[],
  name: string,
  { args = {}, context = callContext() }: { args?: Record<string, unknown>; context?: RunContext } = {},
): Promise<ToolReturn> {
  const tool = tools.find((each) => each.name === name);
  if (tool?.execute === undefined)
    throw new Error(`No tool ${name} among ${tools.map((each) => each.name).join(", ")}.`);
  return await tool.execute(args, context);
}

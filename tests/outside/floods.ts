// Floods a service with requests of clients without a user, over four protocols, while a user works with it:
// `pnpm test:outside floods`. The user must notice nothing.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { a2a } from "@troupe/a2a";
import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createRouter, createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import express from "express";
import type { RequestHandler } from "express";
import type { VisitResult } from "./visit.ts";

/** The facts in an answer about a run, a task or a session. */
type Said = { readonly runId?: string; readonly text?: string; readonly status?: unknown; readonly result?: Result };
type Result = {
  readonly taskId?: string;
  readonly id?: string;
  readonly status?: string | { readonly state?: string };
};
type Answer = { readonly status: number; readonly headers: Headers; readonly said: Said };
type Post = { readonly path: string; readonly body: object; readonly headers?: Record<string, string> };

/** A flood, and what a user begins before it and after it, and reads again. */
type Flood = {
  readonly name: string;
  readonly count: number;
  readonly post: Post;
  /** Returns a fault of the answer to the user's own request, and the request that reads again what that began. */
  readonly begun: (answer: Answer) => Request | string;
};
type Request = { readonly path: string; readonly body?: object; readonly headers?: Record<string, string> };

/** Requests at a time. */
const atOnce = 16;
const ada = { "x-user": "ada" };
const accept = "application/json, text/event-stream";

const agents = {
  slow: new Agent({ name: "slow", model: new ScriptedModel().respond(() => ({ hang: true })) }),
  quick: new Agent({ name: "quick", model: new ScriptedModel().respond(() => "Fine.") }),
};

const takeUser: RequestHandler = (request, _response, next) => {
  const userId = request.headers["x-user"];
  if (userId !== undefined) Object.assign(request, { principal: { userId } });
  next();
};

/** A call of MCP of the revision without sessions. */
function mcpCall(method: string, params: Record<string, unknown>): Post {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "flood", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const headers = {
    "mcp-protocol-version": version,
    "mcp-method": method,
    "mcp-name": String(params["name"] ?? params["taskId"]),
  };
  return { path: "/mcp", headers, body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } } };
}

function a2aCall(method: string, params: object): Post {
  return { path: "/a2a", body: { jsonrpc: "2.0", id: 1, method, params } };
}

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "flood", version: "1" },
};
const message = { kind: "message", role: "user", messageId: "m", parts: [{ kind: "text", text: "Hello." }] };

const floods: readonly Flood[] = [
  {
    name: "background runs",
    count: 1100,
    post: { path: "/agents/slow/run", body: { input: "Hello." }, headers: { prefer: "respond-async" } },
    begun: ({ status, said }) => (status === 202 ? { path: `/runs/${said.runId}` } : "is not accepted"),
  },
  {
    name: "MCP tasks",
    count: 1000,
    post: mcpCall("tools/call", { name: "ask_slow", arguments: { message: "Hello." } }),
    begun: ({ said: { result } }) =>
      result?.taskId === undefined ? "is no task" : mcpCall("tasks/get", { taskId: result.taskId }),
  },
  {
    name: "MCP sessions",
    count: 1500,
    post: { path: "/mcp", body: { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize } },
    begun: ({ headers }) => {
      const id = headers.get("mcp-session-id");
      if (id === null) return "is no session";
      return { path: "/mcp", body: { jsonrpc: "2.0", id: 2, method: "ping" }, headers: { "mcp-session-id": id } };
    },
  },
  {
    name: "A2A messages",
    count: 1200,
    post: a2aCall("message/send", { message, configuration: { blocking: false }, metadata: { agent: "quick" } }),
    begun: ({ said: { result } }) =>
      result?.id === undefined ? "is no task" : a2aCall("tasks/get", { id: result.id }),
  },
];

/** Floods the service in four ways. A fault is what the user would notice. */
export async function visitWithFloods(): Promise<VisitResult> {
  const service = await startService();
  const faults: string[] = [];
  let cases = 0;
  try {
    for (const flood of floods) {
      const { sent, refused, found } = await flow(flood, service.url);
      cases += sent;
      faults.push(...found.map((fault) => `${flood.name}: ${fault}`));
      // Without a bound there is nothing to prove. Sessions give way to newer ones, and ended tasks as well.
      if (flood.name.startsWith("background") && refused === 0) faults.push(`${flood.name}: none was refused.`);
    }
  } finally {
    await service.close();
  }
  return { cases, faults };
}

async function flow(flood: Flood, url: string): Promise<{ sent: number; refused: number; found: string[] }> {
  const { post, count, begun } = flood;
  const found: string[] = [];
  const own = { ...post, headers: { ...post.headers, ...ada } };
  const begin = async (when: string): Promise<Request | undefined> => {
    const answer = await ask(url, own);
    const read = begun(answer);
    if (typeof read !== "string") return read;
    found.push(`the user's own ${when} ${read}: ${answer.status} ${JSON.stringify(answer.said).slice(0, 200)}`);
    return undefined;
  };
  const first = await begin("before the flood");
  let refused = 0;
  const meanwhile: (Request | undefined)[] = [];
  for (let sent = 0; sent < count; sent += atOnce) {
    const many = Array.from({ length: Math.min(atOnce, count - sent) }, async () => await ask(url, post));
    for (const { status } of await Promise.all(many)) if (status === 429) refused++;
    if (sent === atOnce * 30) meanwhile.push(await begin("in the flood"), await finish(url, found));
  }
  for (const read of [first, ...meanwhile, await begin("after the flood")]) {
    if (read === undefined) continue;
    const { status, said } = await ask(url, { ...read, headers: { ...read.headers, ...ada } });
    if (status !== 200 || "error" in said) found.push(`the user's own is lost: ${status} ${JSON.stringify(said)}`);
  }
  return { sent: count, refused, found };
}

/** Lets the user finish a run. */
async function finish(url: string, found: string[]): Promise<undefined> {
  const { status, said } = await ask(url, { path: "/agents/quick/run", body: { input: "Hello." }, headers: ada });
  if (status !== 200 || said.text !== "Fine.") found.push(`the user's run does not finish: ${status}`);
}

async function ask(url: string, { path, body, headers = {} }: Request): Promise<Answer> {
  const reply = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    signal: AbortSignal.timeout(10_000),
    headers: { "content-type": "application/json", accept, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const line = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
  return { status: reply.status, headers: reply.headers, said: JSON.parse(line) as Said };
}

async function startService(): Promise<{ url: string; close: () => Promise<void> }> {
  const logger = createLogger({ level: "silent" });
  const service = createService({ agents, onDisconnect: "continue", logger });
  const protocols = [http(), a2a({ basePath: "/a2a" }), mcp({ extend: () => undefined })];
  const server = createServer(express().use(takeUser, createRouter(service, protocols)));
  service.attach(server);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    // Else the runs that hang would keep this process until their time is over.
    await service.close({ graceMs: 0 });
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

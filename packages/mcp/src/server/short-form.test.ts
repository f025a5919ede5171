import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createLogger, TroupeError } from "@troupe/core";
import { createRouter, createService, serve } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import { serveAgents } from "../../test/served-agents.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { mcp } from "./mcp.ts";
import type { McpOptions } from "./mcp-server-options.ts";

type Asked = { method?: string; headers?: Record<string, string>; body?: object | string };

/** Facts that differ from answer to answer: ids and dates. */
const changing = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<=date,)[^\n]*/g;

/** Sends a request, and returns the bytes of its answer without what differs each time. */
async function ask(server: Server, { method = "POST", headers = {}, body }: Asked): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const sent = request({
    port,
    host: "127.0.0.1",
    path: "/mcp",
    method,
    headers: { ...json, ...headers },
    agent: false,
  });
  sent.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  const raw = reply.rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name.toLowerCase()},${reply.rawHeaders[index + 1]}`] : [],
  );
  return [reply.statusCode, ...raw, await text(reply)].join("\n").replaceAll(changing, "…");
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request of revision 2026-07-28. */
function modern(method: string, params: { name?: string; arguments?: object } = {}, more: object = {}): Asked {
  const { name } = params;
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
  return { headers, body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: { ...meta, ...more } } } };
}

const legacy = (method: string, params: object): Asked => ({ body: { jsonrpc: "2.0", id: 1, method, params } });

const call = { name: "ask_helper", arguments: { message: "tea", sessionId: "s" } };
const clientInfo = { name: "t", version: "1" };

const asked: Record<string, Asked> = {
  "server/discover": modern("server/discover"),
  "a list of tools": modern("tools/list"),
  "a call": modern("tools/call", call),
  "a call with progress": modern("tools/call", call, { progressToken: 1 }),
  "a call of a workflow": modern("tools/call", { name: "run_flow", arguments: { input: { count: 2 } } }),
  "a call that fails": modern("tools/call", { name: "ask_helper", arguments: { message: "fail" } }),
  "a call with wrong arguments": modern("tools/call", { name: "ask_helper", arguments: { text: 7 } }),
  "a call of a tool that is not there": modern("tools/call", { name: "ask_nobody", arguments: {} }),
  "initialize of the earlier revision": legacy("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo,
  }),
  "a call of the earlier revision": legacy("tools/call", call),
  "a body that is no JSON": { body: "{" },
  "a body that is too long": { body: JSON.stringify("x".repeat(5000)) },
  "a body that is compressed": { body: "{}", headers: { "content-encoding": "gzip" } },
  "another method": { method: "PUT" },
  "a page of another site": { body: {}, headers: { origin: "https://evil.example" } },
  "a simple request of a page": {
    body: "{}",
    headers: { origin: "https://evil.example", "content-type": "text/plain" },
  },
  "another host": { body: {}, headers: { host: "evil.example" } },
  "a key that is none": { body: {}, headers: { "x-openai-api-key": "a b" } },
  "a caller who may not": { body: {}, headers: { authorization: "no" } },
  "a caller whose check breaks": { body: {}, headers: { authorization: "broken" } },
};

/** The options of all forms, each with agents of its own, whose sessions begin anew. */
function startOptions(): { service: ServiceOptions; own: McpOptions } {
  const { agents, workflows } = serveAgents();
  const service: ServiceOptions = {
    agents,
    workflows,
    allowedHosts: ["127.0.0.1"],
    maxBodyBytes: 4000,
    logger: createLogger({ level: "silent" }),
    authenticate: ({ headers }) => {
      if (headers.get("authorization") === "no") throw new TroupeError("unauthorized", "Sign in.");
      if (headers.get("authorization") === "broken") throw new Error("secret");
      return { userId: "ada" };
    },
  };
  return { service, own: { name: "own", version: "2", instructions: "Ask kindly." } };
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return server;
}

/** Each form in which a server is made. */
const forms: Record<string, () => Promise<Server>> = {
  "createMcpServer on Express": async () => {
    const { service, own } = startOptions();
    const server = createMcpServer({ ...service, ...own });
    onTestFinished(async () => await server.close());
    return await listen(express().disable("x-powered-by").use("/mcp", server.handler));
  },
  "createMcpServer on node:http": async () => {
    const { service, own } = startOptions();
    const server = createMcpServer({ ...service, ...own });
    onTestFinished(async () => await server.close());
    return await listen(server.handler);
  },
  "createRouter on Express": async () => {
    const { service: options, own } = startOptions();
    const service = createService(options);
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    return await listen(
      express()
        .disable("x-powered-by")
        .use(createRouter(service, [mcp(own)])),
    );
  },
  serve: async () => {
    const { service: options, own } = startOptions();
    const service = createService(options);
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const { server } = await serve(service, [mcp(own)], { port: 0, host: "127.0.0.1" });
    return server;
  },
};

it("the MCP server answers alike in all forms, byte for byte [mcp-server.forms]", async () => {
  const answers: Record<string, Record<string, string>> = {};
  for (const [form, start] of Object.entries(forms)) {
    const server = await start();
    for (const [name, sent] of Object.entries(asked)) {
      (answers[name] ??= {})[form] = await ask(server, sent);
    }
  }

  for (const [name, ofForms] of Object.entries(answers)) {
    const [first] = Object.values(ofForms);
    expect(ofForms, name).toEqual(Object.fromEntries(Object.keys(forms).map((form) => [form, first])));
  }
  const statuses = Object.values(answers).map((ofForms) => Object.values(ofForms)[0]?.slice(0, 3));
  expect(statuses.slice(0, 10)).not.toContain("500");
  expect(statuses.slice(10)).toEqual(["400", "413", "415", "405", "403", "403", "403", "400", "401", "500"]);
});

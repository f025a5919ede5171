import { a2a, createA2AServer } from "@troupe/a2a";
import { createLogger, InMemoryStorage } from "@troupe/core";
import { createHandler, createRouter, createService, serve } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import type { Protocol } from "@troupe/core/transport";
import { createAgentRouter, errorHandler, http, requestLogger } from "@troupe/http";
import { createMcpServer, mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { createAgentGateway } from "@troupe/socket";
import { chatStream } from "@troupe/use-chat";
import type { Subject } from "./subject.ts";
import { formWithFile, steadyAgent, visit } from "./visit.ts";
import type { Asked } from "./visit.ts";

const logger = createLogger({ level: "silent" });
const json = { accept: "application/json, text/event-stream" };
const user = { role: "user", content: "Hi" };
const part = { kind: "text", text: "Hi" };

const runRequests: readonly Asked[] = [
  { path: "/agents" },
  { path: "/agents/helper/run", body: { input: "Hi", userId: "u" } },
  { path: "/agents/helper/run", body: { input: "Hi" }, headers: { "x-api-key": "k", origin: "https://app.example" } },
  { path: "/agents/helper/run", body: formWithFile() },
  { path: "/agents/helper/stream", body: { input: "Hi" } },
  { path: "/docs" },
  { path: "/docs/spec.json" },
];

const chatRequests: readonly Asked[] = [
  {
    path: "/agents/helper/ui",
    body: { id: "c", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hi" }] }] },
  },
];

const apiRequests: readonly Asked[] = [
  { path: "/v1/models" },
  {
    path: "/v1/chat/completions",
    body: { model: "helper", messages: [user] },
    headers: { "x-openwebui-user-id": "u", "x-openwebui-chat-id": "c" },
  },
  { path: "/v1/responses", body: { model: "helper", input: "Hi", stream: true } },
];

const send = (path: string): Asked => ({
  path,
  body: {
    jsonrpc: "2.0",
    id: 1,
    method: "message/send",
    params: { message: { kind: "message", messageId: "m", role: "user", parts: [part] } },
  },
});

const cardRequests = (path: string): readonly Asked[] => [
  { path: "/.well-known/agent-card.json" },
  { path: "/.well-known/agent-card.json", headers: { "A2A-Version": "1.0" } },
  send(path),
];

const call = (id: number, method: string, params: object): object => ({ jsonrpc: "2.0", id, method, params });
const clientInfo = { name: "visitor", version: "1" };
const mcpRequests = (path: string): readonly Asked[] => [
  {
    path,
    body: call(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }),
    headers: json,
  },
  { path, body: call(2, "tools/list", {}), headers: json },
  { path, body: call(3, "tools/call", { name: "ask_helper", arguments: { input: "Hi" } }), headers: json },
];

/** Serves a service over one protocol, and returns the answers to requests. */
async function visitService(protocol: Protocol, asked: readonly Asked[], options: ServiceOptions = {}) {
  const service = createService({ agents: { helper: steadyAgent() }, logger, ...options });
  try {
    return await visit(createRouter(service, [protocol]), asked);
  } finally {
    await service.close({ graceMs: 0 });
  }
}

type Of<Make extends (...given: never[]) => unknown> = Partial<NonNullable<Parameters<Make>[0]>>;

/** Returns what a user sees of a server that a short form makes. */
async function visitShortForm(
  { handler, service }: { handler: Parameters<typeof visit>[0]; service: { close: (o: { graceMs: 0 }) => unknown } },
  asked: readonly Asked[],
) {
  try {
    return await visit(handler, asked);
  } finally {
    await service.close({ graceMs: 0 });
  }
}

const durable = { storage: new InMemoryStorage() };

/** Subjects that serve over HTTP, and the parts of a service. */
export const serviceSubjects: readonly Subject[] = [
  {
    page: "core",
    type: "ServiceOptions",
    base: { agents: { helper: steadyAgent() }, logger },
    observe: async (options: ServiceOptions) => await visitService(http(), runRequests, options),
  },
  {
    page: "core",
    type: "DurableOptions",
    base: durable,
    observe: async (options: object) => await visitService(http(), runRequests, { durable: options }),
  },
  {
    page: "core",
    type: "ScheduleOptions",
    observe: async (schedules: object) => {
      const asked = [{ path: "/schedules" }, { path: "/schedules", headers: { "x-user": "u" } }];
      const authenticate: ServiceOptions["authenticate"] = ({ headers }) =>
        headers.get("x-user") === null ? undefined : { userId: "u" };
      return await visitService(http(), asked, { schedules, authenticate, durable });
    },
  },
  {
    page: "core",
    type: "ServiceRouterOptions",
    observe: async (options: object) => {
      const service = createService({ agents: { helper: steadyAgent() }, logger });
      return await visitShortForm({ handler: createRouter(service, [http()], options), service }, runRequests);
    },
  },
  {
    page: "core",
    type: "HandlerOptions",
    observe: async (options: object) => {
      const service = createService({ agents: { helper: steadyAgent() } });
      const answer = await createHandler(service, [http()], options)(new Request("http://h/agents"));
      await service.close({ graceMs: 0 });
      return await answer.text();
    },
  },
  {
    page: "core",
    type: "ServeOptions",
    base: { port: 0 },
    observe: async (options: object) => {
      const service = createService({ agents: { helper: steadyAgent() } });
      const { url, server } = await serve(service, [http()], options);
      const text = await (await fetch(`${url}/agents`)).text();
      server.closeAllConnections();
      await service.close({ graceMs: 0 });
      return [text, server.listening, new URL(url).protocol];
    },
  },
  {
    page: "http",
    type: "HttpOptions",
    observe: async (options: object) => await visitService(http(options), runRequests),
  },
  {
    page: "http",
    type: "DocsOptions",
    observe: async (swagger: object) => await visitService(http({ swagger }), runRequests),
  },
  {
    page: "http",
    type: "FileUploadOptions",
    observe: async (fileUpload: object) => await visitService(http({ fileUpload }), runRequests),
  },
  {
    page: "http",
    type: "RouterOptions",
    base: { agents: { helper: steadyAgent() } },
    observe: async (options: Of<typeof createAgentRouter>) => {
      const handler = createAgentRouter(options);
      return await visitShortForm({ handler, service: handler.service }, runRequests);
    },
  },
  { page: "http", type: "ErrorHandlerOptions", observe: (options: object) => errorHandler(options).length },
  { page: "http", type: "RequestLoggerOptions", observe: (options: object) => requestLogger(options).length },
];

/** Subjects that serve in other protocols than HTTP. */
export const protocolSubjects: readonly Subject[] = [
  {
    page: "use-chat",
    type: "ChatStreamOptions",
    observe: async (options: object) => await visitService(chatStream(options), chatRequests),
  },
  {
    page: "use-chat",
    type: "ChatFileLimits",
    observe: async (files: object) => await visitService(chatStream({ files }), chatRequests),
  },
  {
    page: "openai-api",
    type: "OpenAiApiOptions",
    observe: async (options: object) => await visitService(openaiApi(options), apiRequests),
  },
  {
    page: "openai-api",
    type: "ChatCompletionOptions",
    observe: async (chat: object) => await visitService(openaiApi({ chat }), apiRequests),
  },
  {
    page: "openai-api",
    type: "ApiFileLimits",
    observe: async (files: object) => await visitService(openaiApi({ files }), apiRequests),
  },
  {
    page: "openai-api",
    type: "OpenWebUiOptions",
    observe: async (openWebUi: object) => await visitService(openaiApi({ openWebUi }), apiRequests),
  },
  {
    page: "a2a",
    type: "A2AOptions",
    observe: async (options: object) => await visitService(a2a(options), cardRequests("/a2a")),
  },
  {
    page: "a2a",
    type: "PushOptions",
    observe: async (options: object) => await visitService(a2a({ pushNotifications: options }), cardRequests("/a2a")),
  },
  {
    page: "a2a",
    type: "A2AServerOptions",
    base: { agents: { helper: steadyAgent() } },
    observe: async (options: Parameters<typeof createA2AServer>[0]) => {
      const handler = createA2AServer(options);
      return await visitShortForm({ handler, service: handler.service }, cardRequests("/"));
    },
  },
  {
    page: "mcp",
    type: "McpOptions",
    observe: async (options: object) => await visitService(mcp(options), mcpRequests("/mcp")),
  },
  {
    page: "mcp",
    type: "McpServerOptions",
    base: { agents: { helper: steadyAgent() } },
    observe: async (options: object) => {
      const { handler, service } = createMcpServer(options);
      return await visitShortForm({ handler, service }, mcpRequests("/"));
    },
  },
  {
    page: "socket",
    type: "GatewayOptions",
    base: { agents: { helper: steadyAgent() } },
    observe: async (options: object) => await openGateway(options),
  },
  {
    page: "socket",
    type: "GatewayOptions",
    base: { service: "given" },
    observe: async (options: object) =>
      await openGateway({ ...options, service: createService({ agents: { helper: steadyAgent() } }) }),
  },
];

/** Opens a gateway on a server without clients, and returns the name and the number of the checks of its namespace. */
async function openGateway(options: object): Promise<unknown> {
  const seen: unknown[] = [];
  const namespace = {
    on: (name: string) => seen.push(`on ${name}`),
    off: () => {},
    use: () => seen.push("use"),
    sockets: new Map(),
  };
  const io = {
    of: (name: string) => {
      seen.push(name);
      return namespace;
    },
    on: () => io,
    opts: {},
    engine: { on: () => {}, opts: {} },
  };
  const gateway = createAgentGateway({ ...options, io: io as never });
  seen.push([...gateway.service.agents.keys()]);
  await gateway.service.close({ graceMs: 0 });
  return seen;
}

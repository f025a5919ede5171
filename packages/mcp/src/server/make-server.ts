import type * as Library from "@modelcontextprotocol/server";
import { ownerKey } from "@troupe/core/transport";
import { callServedTool } from "./call-tool.ts";
import type { Caller } from "./call-tool.ts";
import { acceptSubscriptions, callerOf, createStateCodec } from "./extension.ts";
import type { MadeServer, McpExtend } from "./extension.ts";
import type { SendProgress } from "./progress-report.ts";
import type { Making, ServerParts, ServerPurpose } from "./tasks/server-parts.ts";
import type { ServedTool } from "./served-tools.ts";
import { serveTasks, taskCapabilities } from "./tasks/serve-tasks.ts";
import { createToolCaller, interceptCalls } from "./tasks/task-calls.ts";

/** Caching hint for clients: the tools of runnables do not change during the life of a server. */
const cacheHint = { ttlMs: 60_000, cacheScope: "private" as const };

/**
 * A function that makes the library's server for one request or session over HTTP, or for one connection over stdio.
 */
export type MakeServer = (purpose: ServerPurpose) => Promise<MadeServer>;

/** Returns the function that makes the library's servers. */
export function createServerMaker(parts: ServerParts): MakeServer {
  const { settings } = parts;
  return settings.extend === undefined ? plainMaker(parts) : extendedMaker(parts, settings.extend);
}

/** Returns a maker of servers without the host's `extend`, with as little work per request as possible. */
function plainMaker(parts: ServerParts): MakeServer {
  const { library, settings, tools } = parts;
  const { name, version, instructions } = settings;
  const options: Library.ServerOptions = {
    ...(instructions !== undefined && { instructions }),
    cacheHints: { "tools/list": cacheHint, "server/discover": cacheHint },
  };
  return async (purpose) => {
    const making = { parts, purpose };
    const capabilities = { tools: {}, ...taskCapabilities(making) };
    const server = new library.Server({ name, version }, { ...options, capabilities });
    interceptCalls(server, making, () => false);
    server.setRequestHandler("tools/list", () => ({
      tools: [...tools.values()].map(({ definition }) => ({ ...definition })),
    }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const tool = tools.get(params.name);
      if (tool !== undefined) return await callTool(tool, params.arguments ?? {}, { context, ...making });
      const { InvalidParams } = library.ProtocolErrorCode;
      throw new library.ProtocolError(InvalidParams, `Tool ${JSON.stringify(params.name.slice(0, 64))} not found.`);
    });
    serveTasks(server, making);
    if (!purpose.isKept) cancelByName(server, making);
    return await Promise.resolve({ product: server });
  };
}

/** Returns a maker of servers to which the host's `extend` adds its tools and handlers. */
function extendedMaker(parts: ServerParts, extend: McpExtend): MakeServer {
  const { library, service, settings, callers, tools } = parts;
  const { name, version, instructions, stateKey } = settings;
  const codec = createStateCodec(library, callers, stateKey);
  const context = {
    library,
    sealState: async (state: unknown, ctx: Library.ServerContext) => await codec.mint(state, ctx),
  };
  const options: Library.ServerOptions = {
    ...(instructions !== undefined && { instructions }),
    requestState: { verify: async (state, ctx) => await codec.verify(state, ctx) },
  };
  return async (purpose) => {
    const making = { parts, purpose };
    // Tool capabilities are set with the first tool: if the constructor received them, it would register the tool
    // handlers at once.
    const capabilities = { logging: {}, ...taskCapabilities(making) };
    const server = new library.McpServer({ name, version }, { ...options, capabilities });
    interceptCalls(server.server, making, (tool) => takesTasks(server, tool));
    serveTasks(server.server, making);
    for (const tool of tools.values()) registerTool(server, tool, making);
    // A server without tools still needs a tool list, which may grow later.
    if (tools.size === 0) server.registerTool("none", {}, () => ({ content: [] })).remove();
    const run = async (tool: ServedTool, args: Arguments, ctx: Library.ServerContext) =>
      await callTool(tool, args, { context: ctx, ...making });
    const { userId, tenantId } = purpose.caller.opts;
    try {
      await extend(server, {
        ...context,
        callTool: createToolCaller(making, server.server, run),
        ...(userId !== undefined && { userId }),
        ...(tenantId !== undefined && { tenantId }),
      });
    } catch (error) {
      service.logger.error("The option extend has thrown: its clients are not served.", { error });
      throw error;
    }
    const { isKept, era } = purpose;
    if (!isKept) cancelByName(server.server, making);
    if (!isKept && era === "legacy") return { product: server };
    const subscribed = acceptSubscriptions(library, server);
    return era === "legacy" ? { product: server, subscribed } : { product: server };
  };
}

/**
 * Lets a client cancel a tool call by its session id and the id of the call's request, because every request of the
 * client has a different server.
 */
function cancelByName(server: Library.Server, { parts: { calls }, purpose: { caller } }: Making): void {
  if (caller.session === undefined) return;
  server.setNotificationHandler("notifications/cancelled", ({ params: { requestId } }) => {
    const call = requestId === undefined ? undefined : nameOf(caller, requestId);
    if (call !== undefined) calls.cancel(call);
  });
}

function registerTool(server: Library.McpServer, tool: ServedTool, making: Making): void {
  const { name, description, annotations, execution } = tool.definition;
  const { inputSchema, outputSchema } = tool.shown;
  const registered = server.registerTool(
    name,
    { description, inputSchema, outputSchema, annotations },
    async (args, context) => {
      return await callTool(tool, args, { context, ...making });
    },
  );
  registered.execution = execution;
}

/** Returns true if a tool of the host declares that it can be called as a task. */
function takesTasks(server: Library.McpServer, tool: string): boolean {
  const tools = Reflect.get(server, "_registeredTools") as Record<string, Library.RegisteredTool> | undefined;
  const support = tools !== undefined && Object.hasOwn(tools, tool) ? tools[tool]?.execution?.taskSupport : undefined;
  return support === "optional" || support === "required";
}

type Arguments = Readonly<Record<string, unknown>>;

async function callTool(
  tool: ServedTool,
  args: Arguments,
  { context, parts, purpose }: Making & { readonly context: Library.ServerContext },
): Promise<Library.CallToolResult> {
  const { service, settings, calls, callers } = parts;
  const { maxMediaBytes } = settings;
  const { mcpReq } = context;
  const caller = callerOf(callers, context, purpose.caller);
  const { signal, end } = calls.begin(nameOf(caller, mcpReq.id), [mcpReq.signal, caller.signal]);
  try {
    return await callServedTool({
      tool,
      args,
      caller,
      signal,
      sendProgress: progressSender(mcpReq),
      requestId: String(mcpReq.id),
      meta: mcpReq._meta,
      service,
      maxMediaBytes,
    });
  } finally {
    // Over HTTP, a tool call is over only when its response was sent or its client has disconnected.
    if (caller.answered === undefined) end();
    else void caller.answered.then(end);
  }
}

/** Returns the name by which later requests of the same session can cancel a call; undefined without a session. */
function nameOf({ session, opts }: Caller, id: Library.RequestId): string | undefined {
  return session === undefined ? undefined : JSON.stringify([session, ownerKey(opts), id]);
}

function progressSender({ _meta, notify }: Library.ServerContext["mcpReq"]): SendProgress | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => notify({ method: "notifications/progress", params: { progressToken, ...progress } });
}

import type * as Library from "@modelcontextprotocol/server";
import { callServedTool } from "./call-tool.ts";
import type { Caller, SendProgress } from "./call-tool.ts";
import { acceptSubscriptions, createStateCodec } from "./extension.ts";
import type { Callers, MadeServer } from "./extension.ts";
import type { McpServerSettings } from "./mcp-server-options.ts";
import type { RunningCalls } from "./running-calls.ts";
import type { ServedTool } from "./served-tools.ts";

/** The tools of runnables are the same for the life of a server. */
const cacheHint = { ttlMs: 60_000, cacheScope: "private" as const };

/** The means to make servers: the library, settings, the calls that run and the callers of requests. */
export type ServerParts = {
  readonly library: typeof Library;
  readonly settings: McpServerSettings;
  readonly calls: RunningCalls;
  readonly callers: Callers;
};

/** The client that a server is made for: its first request, its revision, and whether the server outlives that request. */
type ServerPurpose = {
  readonly caller: Caller;
  readonly era: "modern" | "legacy";
  readonly isKept: boolean;
};

/** Function that makes the library's server for one request or session over HTTP, or for one connection over stdio. */
export type MakeServer = (purpose: ServerPurpose) => Promise<MadeServer>;

/** Makes the function that makes servers. */
export function createServerMaker(parts: ServerParts): MakeServer {
  const { library, settings } = parts;
  const { name, version, instructions, tools, extend, stateKey } = settings;
  const codec = extend && createStateCodec(library, parts.callers, stateKey);
  const options: Library.ServerOptions = {
    capabilities: { tools: { listChanged: extend !== undefined }, ...(extend && { logging: {} }) },
    ...(instructions !== undefined && { instructions }),
    ...(codec && { requestState: { verify: async (state, ctx) => await codec.verify(state, ctx) } }),
    ...(!extend && { cacheHints: { "tools/list": cacheHint, "server/discover": cacheHint } }),
  };
  return async (purpose) => {
    const server = new library.McpServer({ name, version }, options);
    for (const tool of tools.values()) registerTool(server, tool, { parts, purpose });
    if (codec !== undefined) await extendServer(server, codec, { parts, purpose });
    if (purpose.isKept) return keepServer(server, codec !== undefined, { parts, purpose });
    if (codec !== undefined && purpose.era === "modern") acceptSubscriptions(library, server);
    cancelByName(server, { parts, purpose });
    return { server };
  };
}

type Making = { readonly parts: ServerParts; readonly purpose: ServerPurpose };

async function extendServer(
  server: Library.McpServer,
  codec: Library.RequestStateCodec,
  { parts: { library, settings }, purpose: { caller } }: Making,
): Promise<void> {
  const { userId, tenantId } = caller.opts;
  const sealState = async (state: unknown, ctx: Library.ServerContext): Promise<string> => await codec.mint(state, ctx);
  const user = { ...(userId !== undefined && { userId }), ...(tenantId !== undefined && { tenantId }) };
  try {
    await settings.extend?.(server, { library, ...user, sealState });
  } catch (error) {
    settings.logger.error("The option extend has thrown: its clients are not served.", { error });
    throw error;
  }
}

function keepServer(server: Library.McpServer, isExtended: boolean, { parts, purpose }: Making): MadeServer {
  if (!isExtended) return { server };
  const subscribed = acceptSubscriptions(parts.library, server);
  return purpose.era === "legacy" ? { server, subscribed } : { server };
}

/** Lets a client cancel a call of a request that had a server of its own, as in revisions with sessions. */
function cancelByName(server: Library.McpServer, { parts: { calls }, purpose: { caller } }: Making): void {
  if (caller.session === undefined) return;
  server.server.setNotificationHandler("notifications/cancelled", ({ params: { requestId } }) => {
    const call = requestId === undefined ? undefined : nameOf(caller, requestId);
    if (call !== undefined) calls.cancel(call);
  });
}

function registerTool(server: Library.McpServer, tool: ServedTool, { parts, purpose }: Making): void {
  const { settings, calls, callers } = parts;
  const { name, description, inputSchema, outputSchema } = tool;
  const config = { description, inputSchema, outputSchema, annotations: { openWorldHint: true } };
  server.registerTool(name, config, async (args, { mcpReq, http }) => {
    // That of this request: a server of a session was made for another.
    const caller = (http?.authInfo && callers.get(http.authInfo)) ?? purpose.caller;
    const { signal, end } = calls.begin(nameOf(caller, mcpReq.id), [mcpReq.signal, caller.signal]);
    const sendProgress = progressSender(mcpReq);
    try {
      return await callServedTool({ tool, args, caller, signal, sendProgress, settings });
    } finally {
      // Over HTTP a call is over when its client has the result.
      if (caller.answered === undefined) end();
      else void caller.answered.then(end);
    }
  });
}

/** The name of a call for later requests of the same session, undefined without one. */
function nameOf({ session, opts: { userId, tenantId } }: Caller, id: Library.RequestId): string | undefined {
  return session === undefined ? undefined : JSON.stringify([session, userId, tenantId, id]);
}

function progressSender({ _meta, notify }: Library.ServerContext["mcpReq"]): SendProgress | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => notify({ method: "notifications/progress", params: { progressToken, ...progress } });
}

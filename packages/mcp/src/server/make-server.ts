import type * as Library from "@modelcontextprotocol/server";
import { callServedTool } from "./call-tool.ts";
import type { Caller, SendProgress } from "./call-tool.ts";
import type { McpServerSettings } from "./mcp-server-options.ts";
import type { RunningCalls } from "./running-calls.ts";

/** The tools are the same for the life of a server. */
const cacheHint = { ttlMs: 60_000, cacheScope: "private" as const };

/** The means to make the server of one request or connection: the library, once it is loaded, settings and the calls that run. */
export type ServerParts = {
  readonly library: typeof Library;
  readonly settings: McpServerSettings;
  readonly calls: RunningCalls;
};

/** Makes the library's server for one request over HTTP, or for one connection over stdio. */
export function makeServer({ library, settings, calls }: ServerParts, caller: Caller): Library.Server {
  const { name, version, instructions, tools, logger } = settings;
  const server = new library.Server(
    { name, version },
    {
      capabilities: { tools: {} },
      ...(instructions !== undefined && { instructions }),
      cacheHints: { "tools/list": cacheHint, "server/discover": cacheHint },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...tools.values()].map(describe) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    if (tool === undefined) {
      const { InvalidParams } = library.ProtocolErrorCode;
      throw new library.ProtocolError(InvalidParams, `Tool ${JSON.stringify(params.name.slice(0, 64))} not found.`);
    }
    const { signal, end } = calls.begin(nameOf(caller, mcpReq.id), [mcpReq.signal, caller.signal]);
    const sendProgress = progressSender(mcpReq);
    try {
      return await callServedTool({ tool, args: params.arguments ?? {}, caller, signal, sendProgress, logger });
    } finally {
      end();
    }
  });
  if (caller.session !== undefined) {
    // The request to cancel was another one over HTTP, with a server of its own.
    server.setNotificationHandler("notifications/cancelled", ({ params: { requestId } }) => {
      const call = requestId === undefined ? undefined : nameOf(caller, requestId);
      if (call !== undefined) calls.cancel(call);
    });
  }
  return server;
}

/** The name of a call for later requests of the same session, undefined without one. */
function nameOf({ session, opts: { userId, tenantId } }: Caller, id: Library.RequestId): string | undefined {
  return session === undefined ? undefined : JSON.stringify([session, userId, tenantId, id]);
}

function describe(tool: McpServerSettings["tools"] extends ReadonlyMap<string, infer Tool> ? Tool : never) {
  const { name, description, inputSchema, outputSchema } = tool;
  return { name, description, inputSchema, outputSchema, annotations: { openWorldHint: true } };
}

function progressSender({ _meta, notify }: Library.ServerContext["mcpReq"]): SendProgress | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => notify({ method: "notifications/progress", params: { progressToken, ...progress } });
}

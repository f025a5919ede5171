import type { IncomingMessage, ServerResponse } from "node:http";
import { createRouter, createService } from "@troupe/core/service";
import type { Service } from "@troupe/core/transport";
import { makeProtocol } from "./mcp.ts";
import type { McpProtocol } from "./mcp.ts";
import { mcpOptionNames, readProtocolOptions } from "./mcp-server-options.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";

/** An MCP server made by `createMcpServer`, for HTTP and for stdio. */
export type McpServer = Pick<McpProtocol, "notify"> & {
  /**
   * Answers an HTTP request: use it as `app.use("/mcp", server.handler)`, or as the listener of a `node:http` server.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** The service of the server. */
  readonly service: Service;
  /**
   * Serves the program that started this process, over the standard streams. Resolves when the client has disconnected.
   * Until then, other writes to standard output go to standard error. Rejects with `conflict` when called again.
   */
  serveStdio(): Promise<void>;
  /**
   * Ends the service at once: cancels active calls, ends sessions, subscriptions and tasks in memory, and refuses further
   * requests. `service.close` gives active calls a grace period.
   */
  close(): Promise<void>;
};

/** The handler answers at every path: the host decides where to mount it. */
const everyPath = ["/", "/*"];

/**
 * Makes an MCP server whose tools are agents, teams and workflows: `ask_<name>` and `run_<name>`. It is short for the
 * protocol `mcp` over a service with these options. Throws `invalid_config` for a wrong option.
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  const owner = "createMcpServer";
  const shared = { ...options };
  const own = Object.fromEntries(mcpOptionNames.map((name) => [name, shared[name]]));
  for (const name of mcpOptionNames) delete shared[name];
  const settings = readProtocolOptions(own, owner);
  const service = createService(shared, owner);
  const protocol = makeProtocol(settings, { owner, paths: everyPath });
  const answer = createRouter(service, [protocol]);
  return {
    // Every request matches a route, so no request is passed on to the host.
    handler: (request, response) => answer(request, response, () => undefined),
    service,
    notify: protocol.notify,
    serveStdio: async () => await protocol.serveStdio(service),
    close: async () => await service.close({ graceMs: 0 }),
  };
}

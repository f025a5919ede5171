import type * as Library from "@modelcontextprotocol/server";
import type { Service } from "@troupe/core/transport";
import type { Caller } from "../call-tool.ts";
import type { Callers } from "../extension.ts";
import type { ProtocolSettings } from "../mcp-server-options.ts";
import type { RunningCalls } from "../running-calls.ts";
import type { ServedTool } from "../served-tools.ts";
import type { NotedCalls } from "./negotiation.ts";
import type { TaskRuns } from "./task-runs.ts";

/**
 * The objects from which the library's servers are made: the library, the service, its tools and calls, callers of
 * requests, and tasks.
 */
export type ServerParts = {
  readonly library: typeof Library;
  readonly service: Service;
  readonly settings: ProtocolSettings;
  /** The tools of the service's agents, teams and workflows, by name. */
  readonly tools: ReadonlyMap<string, ServedTool>;
  readonly calls: RunningCalls;
  readonly callers: Callers;
  readonly tasks: TaskRuns;
  readonly notedCalls: NotedCalls;
};

/**
 * The MCP client for which a server is made: its first request, its revision, and true if the server outlives that
 * request.
 */
export type ServerPurpose = {
  readonly caller: Caller;
  readonly era: "modern" | "legacy";
  readonly isKept: boolean;
};

/** The objects from which one of the library's servers is made, and the client for whom it is made. */
export type Making = { readonly parts: ServerParts; readonly purpose: ServerPurpose };

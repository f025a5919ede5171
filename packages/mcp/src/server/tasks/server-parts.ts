import type * as Library from "@modelcontextprotocol/server";
import type { Caller } from "../call-tool.ts";
import type { Callers } from "../extension.ts";
import type { McpServerSettings } from "../mcp-server-options.ts";
import type { RunningCalls } from "../running-calls.ts";
import type { NotedCalls } from "./negotiation.ts";
import type { TaskRuns } from "./task-runs.ts";

/** The means to make servers: the library, settings, the calls that run, the callers of requests and their tasks. */
export type ServerParts = {
  readonly library: typeof Library;
  readonly settings: McpServerSettings;
  readonly calls: RunningCalls;
  readonly callers: Callers;
  readonly tasks: TaskRuns;
  readonly notedCalls: NotedCalls;
};

/** The client that a server is made for: its first request, its revision, and whether the server outlives that request. */
export type ServerPurpose = {
  readonly caller: Caller;
  readonly era: "modern" | "legacy";
  readonly isKept: boolean;
};

/** The means of a server, and the client that it is for. */
export type Making = { readonly parts: ServerParts; readonly purpose: ServerPurpose };

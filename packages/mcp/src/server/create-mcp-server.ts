import type { ServerResponse } from "node:http";
import { TroupeError } from "@troupe/core";
import { closeInOrder, closeTogether } from "@troupe/core/kit";
import { logWarnings } from "@troupe/core/transport";
import type { EndingRuns } from "@troupe/core/transport";
import type { McpRequest } from "./answer-request.ts";
import { createNotify } from "./extension.ts";
import type { McpNotify } from "./extension.ts";
import { HttpSide } from "./http-side.ts";
import type { ServerParts } from "./tasks/server-parts.ts";
import { readMcpServerOptions } from "./mcp-server-options.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";
import { RunningCalls } from "./running-calls.ts";
import { TaskRuns } from "./tasks/task-runs.ts";
import { openStdio } from "./serve-stdio.ts";
import type { StdioConnection } from "./serve-stdio.ts";

/** An MCP server, made by `createMcpServer`: a handler for HTTP, and a connection over stdio. */
export type McpServer = {
  /** Answers a request over HTTP: `app.use("/mcp", server.handler)`, or the listener of a `node:http` server. */
  readonly handler: (request: McpRequest, response: ServerResponse) => void;
  /** Tells clients that what the option `extend` registers has changed. Throws `invalid_config` without that option. */
  readonly notify: McpNotify;
  /**
   * Serves the program that has started this process, over the standard streams. Resolves when the client has left. Until then
   * whatever else is written to the standard output goes to the standard error stream.
   */
  serveStdio(): Promise<void>;
  /** Cancels the calls that run, ends sessions and subscriptions, and refuses further requests. */
  close(): Promise<void>;
};

/**
 * Makes an MCP server whose tools are agents, teams and workflows: `ask_<name>` and `run_<name>`. A wrong option throws
 * `invalid_config`.
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  const settings = readMcpServerOptions(options);
  const calls = new RunningCalls();
  const tasks = new TaskRuns(settings);
  let parts: Promise<ServerParts> | undefined;
  const loadParts = async (): Promise<ServerParts> => await (parts ??= load());
  const load = async (): Promise<ServerParts> => {
    const library = await import("@modelcontextprotocol/server");
    return { library, settings, calls, tasks, callers: new WeakMap(), notedCalls: new WeakMap() };
  };
  const http = new HttpSide(settings, loadParts);
  let stdio: StdioConnection | undefined;
  const runnables = [...settings.tools.values()].map(({ runnable }) => runnable);
  const endWarnings = logWarnings(runnables, settings.logger);
  const close = async (): Promise<void> => {
    calls.endAll();
    endWarnings();
    await closeTogether(
      () => http.close(),
      () => stdio?.close(),
      () => tasks.close(),
    );
  };
  settings.shutdown?.add(endingRuns({ calls, tasks, close }));
  return {
    handler: (request, response) => void http.serve(request, response),
    notify: createNotify(settings.extend !== undefined, () => {
      const { kept, subscriptions } = http.targets;
      return { kept: [...kept, ...(stdio?.servers ?? [])], subscriptions };
    }),
    async serveStdio() {
      if (stdio !== undefined) throw new TroupeError("conflict", "serveStdio was called already. Call it once.");
      stdio = openStdio(loadParts);
      await stdio.ended;
    },
    close,
  };
}

/** The calls and tasks of a server, which a shutdown ends before the server itself. */
function endingRuns(ends: { calls: RunningCalls; tasks: TaskRuns; close: () => Promise<void> }): EndingRuns {
  const { calls, tasks, close } = ends;
  const drainAll = async (): Promise<void> =>
    await closeTogether(
      () => calls.drain(),
      () => tasks.drain(),
    );
  // The last result over stdio is written when its call is over.
  const writeLast = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
  return {
    get size() {
      return calls.size + tasks.size;
    },
    drain: async () => await closeInOrder(drainAll, writeLast, close),
    endAll: () => {
      calls.endAll();
      tasks.endAll();
    },
  };
}

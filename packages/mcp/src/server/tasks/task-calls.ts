import { TroupeError } from "@troupe/core";
import type * as Library from "@modelcontextprotocol/server";
import { callerOf } from "../extension.ts";
import type { McpCallTool } from "../extension.ts";
import type { Making } from "./server-parts.ts";
import type { ServedTool } from "../served-tools.ts";
import { missingTasks, takesTasks } from "./negotiation.ts";
import type { NotedCall, TaskWish } from "./negotiation.ts";
import { notifyOfTask, toProtocolError } from "./serve-tasks.ts";
import { toLegacyTask, toModernTask } from "./task-shapes.ts";

type Arguments = Readonly<Record<string, unknown>>;

type Handler = (
  request: Pick<Library.JSONRPCRequest, "params">,
  context: Library.ServerContext,
) => Promise<Library.Result>;

/**
 * The method of the library's server through which every handler is registered; the library documents it for
 * subclasses.
 */
const hookName = "_wrapHandler";
type HandlerHook = (method: string, handler: Handler) => Handler;

/**
 * The result that `callTool` returns to a tool of the host if the call became a task. The host's tool returns it too,
 * and the task then replaces it.
 */
const placeholder: Library.CallToolResult = { content: [], isError: true };

/**
 * Lets tool calls become tasks. The library checks the results of tools and does not support tasks. Task calls are
 * therefore handled before the library's handler, which is registered later.
 */
export function interceptCalls(server: Library.Server, making: Making, supportsTasks: (tool: string) => boolean): void {
  const wrap = (Reflect.get(server, hookName) as HandlerHook).bind(server);
  const hook: HandlerHook = (method, handler) => {
    const call = wrap(method, handler);
    if (method !== "tools/call") return call;
    return async (request, context) => {
      const { name, arguments: args = {}, task } = request.params ?? {};
      const wish = readWish(task, context, making);
      const tool = typeof name === "string" ? making.parts.tools.get(name) : undefined;
      if (tool === undefined) {
        if (wish !== undefined && making.purpose.era === "legacy" && !supportsTasks(String(name)))
          throw notAsTask(making);
        return await noted(making, { wish, context }, async () => await call(request, context));
      }
      if (wish === undefined || !isArguments(args)) return await call(request, context);
      return await startTask({ tool, args, wish, context, server }, making);
    };
  };
  Reflect.set(server, hookName, hook);
}

/**
 * Makes the function with which a tool of the host calls a tool of this server, as a task if the client accepts tasks.
 */
export function createToolCaller(
  making: Making,
  server: Library.Server,
  run: (tool: ServedTool, args: Arguments, context: Library.ServerContext) => Promise<Library.CallToolResult>,
): McpCallTool {
  return async (name, args, { ctx, task = "optional" }) => {
    const { tools, notedCalls } = making.parts;
    const tool = tools.get(name);
    if (tool === undefined) throw new TroupeError("not_found", `callTool: there is no tool ${JSON.stringify(name)}.`);
    const call = notedCalls.get(ctx.mcpReq.signal);
    const wish = task === "forbidden" ? undefined : call?.wish;
    if (call === undefined || (wish === undefined && task !== "required")) return await run(tool, args, ctx);
    try {
      if (wish === undefined) throw onlyAsTask(making);
      call.outcome = { result: await startTask({ tool, args, wish, context: ctx, server }, making) };
    } catch (error) {
      call.outcome = { error: error as Error };
    }
    return placeholder;
  };
}

type Started = {
  readonly tool: ServedTool;
  readonly args: Arguments;
  readonly wish: TaskWish;
  readonly context: Library.ServerContext;
  readonly server: Library.Server;
};

/**
 * Starts a task for a tool call and returns it. In revision 2026-07-28, a call that cannot start returns its error as a
 * result.
 */
async function startTask({ tool, args, wish, context, server }: Started, making: Making): Promise<Library.Result> {
  const { parts, purpose } = making;
  const caller = callerOf(parts.callers, context, purpose.caller);
  try {
    const task = await parts.tasks.start({ tool, args, caller, ttlMs: wish.ttlMs });
    if (purpose.era === "modern") return { ...toModernTask(task), resultType: "task" };
    if (purpose.isKept) notifyOfTask(server, task, making);
    return { task: toLegacyTask(task) };
  } catch (error) {
    const failure = toProtocolError(error, making);
    if (purpose.era === "legacy") throw failure;
    return { content: [{ type: "text", text: failure.message }], isError: true };
  }
}

async function noted(
  { parts: { notedCalls } }: Making,
  { wish, context }: { wish: TaskWish | undefined; context: Library.ServerContext },
  work: () => Promise<Library.Result>,
): Promise<Library.Result> {
  const call: NotedCall = { wish };
  notedCalls.set(context.mcpReq.signal, call);
  const result = await work();
  if (call.outcome === undefined) return result;
  if ("error" in call.outcome) throw call.outcome.error;
  return call.outcome.result;
}

/**
 * Returns the request for a task if a tool call must become a task, otherwise undefined. In revision 2026-07-28 the
 * server decides, for every client that accepts tasks. In earlier revisions the client requests the task.
 */
function readWish(task: unknown, context: Library.ServerContext, making: Making): TaskWish | undefined {
  if (making.purpose.era === "modern") return takesTasks(context) ? { ttlMs: undefined } : undefined;
  return task === undefined ? undefined : { ttlMs: readTtl(task, making) };
}

function readTtl(task: unknown, { parts: { library } }: Making): number | undefined {
  const ttl = isArguments(task) ? (task["ttl"] ?? undefined) : Number.NaN;
  if (ttl === undefined || (typeof ttl === "number" && ttl > 0)) return ttl;
  const message = "task must be an object, with ttl a positive number or left out.";
  throw new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, message);
}

function isArguments(args: unknown): args is Arguments {
  return typeof args === "object" && args !== null && !Array.isArray(args);
}

function notAsTask({ parts: { library } }: Making): Error {
  return new library.ProtocolError(library.ProtocolErrorCode.MethodNotFound, "This tool cannot be called as a task.");
}

function onlyAsTask({ parts: { library }, purpose }: Making): Error {
  if (purpose.era === "modern") return missingTasks(library);
  return new library.ProtocolError(
    library.ProtocolErrorCode.MethodNotFound,
    "This tool can be called as a task alone.",
  );
}

import * as library from "@modelcontextprotocol/server";
import { createLogger } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { vi } from "vitest";
import { RunningCalls } from "../src/server/running-calls.ts";
import type { Making } from "../src/server/tasks/server-parts.ts";
import { serveTasks } from "../src/server/tasks/serve-tasks.ts";

export type Era = "modern" | "legacy";
type Handle = (params: unknown, context: unknown) => Promise<Record<string, unknown>>;

export const ada = { userId: "ada" };
const takesTasks = {
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};
export const running = { runId: "r1", status: "running", createdAt: 1000, startedAt: 2000 };
export const over = { ...running, status: "cancelled", endedAt: 3000 };
export const approval = (id: string) => ({ id, kind: "approval", about: { toolName: "pay" } });

/** The requests about tasks of one client, for a run that is so, and then so. */
export function serve({
  era = "legacy",
  opts = ada,
  run = running,
  later = [] as object[],
  isKept = false,
  answered = undefined as Promise<void> | undefined,
}: {
  era?: Era;
  opts?: object;
  run?: object;
  later?: object[];
  isKept?: boolean;
  answered?: Promise<void> | undefined;
} = {}) {
  const handlers: Record<string, Handle> = {};
  const server = {
    setRequestHandler: (method: string, _schema: unknown, handle: Handle) => void (handlers[method] = handle),
    getClientCapabilities: () => ({ elicitation: {} }),
    onclose: vi.fn<() => void>(),
    notification: vi.fn<(message: object) => Promise<void>>(async () => {}),
  };
  const service = {
    cancel: vi.fn<(...given: unknown[]) => Promise<void>>(async () => {}),
    answer: vi.fn<(...given: unknown[]) => Promise<void>>(async () => {}),
    get: async () => await Promise.resolve(over),
  };
  const task = { service, run: run as unknown as RunView };
  const tasks = {
    find: vi.fn<(...given: unknown[]) => Promise<unknown>>(async () => await Promise.resolve(task)),
    list: vi.fn<(...given: unknown[]) => Promise<unknown>>(
      async () => await Promise.resolve({ tasks: [task], next: "0.r1" }),
    ),
    follow: vi.fn<(...given: unknown[]) => AsyncGenerator<object>>(async function* () {
      for (let next = later.shift(); next !== undefined; next = later.shift()) yield await Promise.resolve(next);
    }),
  };
  const error = vi.fn<(message: string, fields: object) => void>();
  const settings = { maxMediaBytes: 10 };
  const caller = { opts, secrets: [], ...(answered !== undefined && { answered }) };
  const calls = new RunningCalls();
  const parts = {
    library,
    service: { logger: { ...createLogger(), error } },
    settings,
    tasks,
    calls,
    callers: new WeakMap(),
  };
  const making = { parts, purpose: { era, caller, isKept } } as unknown as Making;
  serveTasks(server as unknown as library.Server, making);
  const ask = async (method: string, params: object = { taskId: "r1" }, mcpReq: object = {}) =>
    await handlers[method]?.(params, { mcpReq: { envelope: era === "modern" ? takesTasks : undefined, ...mcpReq } });
  return { ask, handlers, making, error, server, service, task, tasks, caller, calls };
}

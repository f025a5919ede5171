import * as library from "@modelcontextprotocol/server";
import { createLogger } from "@troupe/core";
import { expect, it, vi } from "vitest";
import { RunningCalls } from "../running-calls.ts";
import type { Making } from "./server-parts.ts";
import { serveTasks } from "./serve-tasks.ts";

type Handle = (params: unknown, context: unknown) => Promise<unknown>;
type Sent = { readonly params: { readonly message: string } };

const wait = (id: string) => ({ id, kind: "approval", about: { toolName: `pay ${id}` } });
const waiting = (...ids: readonly string[]) => ({
  runId: "r1",
  status: "waiting",
  createdAt: 1000,
  waits: ids.map(wait),
});
const running = { ...waiting("t.0"), status: "running" };
const over = { runId: "r1", status: "cancelled", createdAt: 1000, endedAt: 3000 };

/** Asks for the result of a task whose run is so, and then so. Returns the questions, and those that were withdrawn. */
async function askThrough(...runs: readonly object[]) {
  const handlers = new Map<string, Handle>();
  const server = {
    setRequestHandler: (method: string, _schema: unknown, handle: Handle) => void handlers.set(method, handle),
    getClientCapabilities: () => ({ elicitation: {} }),
  };
  const task = { service: {}, run: runs[0] };
  const tasks = {
    find: async () => await Promise.resolve(task),
    follow: async function* () {
      for (const run of [...runs, over]) yield await Promise.resolve(run);
    },
  };
  const service = { logger: createLogger({ level: "silent" }) };
  const parts = {
    library,
    service,
    settings: { maxMediaBytes: 10 },
    tasks,
    calls: new RunningCalls(),
    callers: new WeakMap(),
  };
  const purpose = { era: "legacy", caller: { opts: {}, secrets: [] }, isKept: true };
  serveTasks(server as unknown as library.Server, { parts, purpose } as unknown as Making);
  const asked: string[] = [];
  const withdrawn: string[] = [];
  const send = vi.fn<(message: Sent, options: { signal: AbortSignal }) => Promise<never>>();
  send.mockImplementation(async ({ params: { message } }, { signal }) => {
    const [id = ""] = /t\.\d/.exec(message) ?? [];
    asked.push(id);
    return await new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        withdrawn.push(id);
        reject(new Error("withdrawn"));
      });
    });
  });
  const mcpReq = { send, signal: new AbortController().signal };
  await handlers.get("tasks/result")?.({ taskId: "r1" }, { mcpReq });
  return { asked, withdrawn };
}

it.each<[string, object[], string[]]>([
  ["behind one that is open", [waiting("t.0"), waiting("t.0", "t.1")], ["t.0", "t.1"]],
  ["before one that is open", [waiting("t.1"), waiting("t.0", "t.1")], ["t.1", "t.0"]],
  ["between two that are open", [waiting("t.0", "t.2"), waiting("t.0", "t.1", "t.2")], ["t.0", "t.2", "t.1"]],
  [
    "in the place of one that was answered",
    [waiting("t.0", "t.1"), running, waiting("t.1", "t.2")],
    ["t.0", "t.1", "t.2"],
  ],
])("a question that comes later is asked once too, %s", async (_place, runs, expected) => {
  const { asked, withdrawn } = await askThrough(...runs);

  expect(asked).toEqual(expected);
  expect(new Set(withdrawn)).toEqual(new Set(expected));
});

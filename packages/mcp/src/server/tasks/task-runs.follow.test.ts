import { getEventListeners } from "node:events";
import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Caller } from "../call-tool.ts";
import { readServedTools } from "../served-tools.ts";
import { TaskRuns } from "./task-runs.ts";
import type { Task } from "./task-runs.ts";

const ada: Caller = { opts: { userId: "ada" }, secrets: [] };
const logger = createLogger({ level: "silent" });

/** Serves an agent that asks before it pays, and returns its tasks and a function that begins one. */
async function serveCashier(isDurable: boolean) {
  const parameters = { type: "object", properties: {} } as const;
  const pay = defineTool({ name: "pay", description: "Pays.", parameters, needsApproval: true, execute: () => "paid" });
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.content === "Pay." ? { toolCalls: [{ id: "c1", name: "pay", arguments: {} }] } : "It is paid.",
  );
  const agents = { cashier: new Agent({ name: "cashier", model, tools: [pay] }) };
  const runs = isDurable ? new RunService({ agents, storage: new InMemoryStorage(), logger }) : undefined;
  await runs?.serve();
  const service = createService({ agents, logger, runs });
  onTestFinished(async () => {
    await service.close({ graceMs: 0 });
    await runs?.close();
  });
  const tools = readServedTools(service, { owner: "mcp", mayBeEmpty: false });
  const tasks = new TaskRuns(service, tools.values());
  const start = async (): Promise<Task> => {
    const [tool] = tools.values();
    if (tool === undefined) throw new Error("There is no tool.");
    return await tasks.start({ tool, args: { message: "Pay." }, caller: ada, ttlMs: undefined });
  };
  return { tasks, start };
}

/** Calls `onCall` in the middle of each look at a run's record and each wait for its next event. */
function watchCalls({ get, events }: Pick<RunService, "get" | "events">, onCall: (name: string) => void) {
  const during = async <T>(name: string, call: Promise<T>): Promise<T> => {
    onCall(name);
    return await call;
  };
  const watchedGet: typeof get = async (...args) => await during("look", get(...args));
  const watchedEvents: typeof events = (...args) => {
    const source = events(...args);
    const next = source.next.bind(source);
    source.next = async () => await during("event", next());
    return source;
  };
  return { get: watchedGet, events: watchedEvents };
}

/** Follows a new task, answers its question, and leaves in the middle of the call with this number. */
async function leaveDuring(place: number, { tasks, start }: Awaited<ReturnType<typeof serveCashier>>) {
  const task = await start();
  const { service, run } = task;
  const left = new AbortController();
  const [calls, seen]: [string[], string[]] = [[], []];
  const own = { get: service.get.bind(service), events: service.events.bind(service) };
  const watched = watchCalls(own, (name) => {
    if (calls.push(name) === place) left.abort();
  });
  vi.spyOn(service, "get").mockImplementation(watched.get);
  vi.spyOn(service, "events").mockImplementation(watched.events);
  for await (const { status, waits = [] } of tasks.follow(task, left.signal)) {
    seen.push(status);
    for (const { id } of waits) await service.answer(run.runId, id, { approved: true }, "host");
  }
  vi.restoreAllMocks();
  const { status } = await service.get(run.runId, "host");
  return { calls, seen, status, left: left.signal };
}

it.each([
  ["in memory", false],
  ["of the host's service", true],
])(
  "a client that leaves during any look at a task %s, or any wait for it, is not followed on, and the task goes on",
  async (_, isDurable) => {
    const served = await serveCashier(isDurable);
    const reached = new Set<string>();
    for (let place = 1; ; place++) {
      const { calls, seen, status, left } = await leaveDuring(place, served);
      expect(getEventListeners(left, "abort")).toEqual([]);
      // The task was over before the client could leave, so each place has had its turn.
      if (!left.aborted) break;
      expect([place, calls.length]).toEqual([place, place]);
      expect(status).not.toBe("cancelled");
      for (const call of calls.slice(-1)) reached.add(call);
      // Whoever leaves before the first answer of the service is shown that answer at most.
      expect(seen.length).toBeLessThanOrEqual(place);
    }
    expect(reached).toEqual(new Set(["look", "event"]));
  },
);

import { createLogger, TroupeError } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { noUsage } from "@troupe/core/provider";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { localSource } from "../call-tool.ts";
import type { Caller } from "../call-tool.ts";
import { readServedTools } from "../served-tools.ts";
import { TaskRuns } from "./task-runs.ts";

const callerOf = (opts: Caller["opts"] = {}): Caller => ({ opts, secrets: [] });
const ada = callerOf({ userId: "ada" });
const id = expect.stringMatching(/^[\da-f-]{36}$/) as string;

type GivenOpts = { sessionId?: string; isNewSession?: boolean };

/** The tasks of a server of one runnable, which answers at once, and what that was given. */
function startTasks(options: ServiceOptions = {}) {
  const given: GivenOpts[] = [];
  const output = { text: "Hi.", toolCalls: [], usage: noUsage };
  const plain = {
    name: "plain",
    kind: "remote",
    run: async () => await Promise.resolve(output),
    stream: (_input: unknown, opts: GivenOpts) => {
      given.push(opts);
      return Object.assign(ReadableStream.from([]).values(), { output: Promise.resolve(output) });
    },
  } as unknown as Runnable;
  const logger = createLogger({ level: "silent" });
  const makeTasks = (more: ServiceOptions = {}) => {
    const service = createService({ agents: { plain }, logger, ...options, ...more });
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const tools = readServedTools(service, { owner: "mcp", mayBeEmpty: false });
    return { service, tools, tasks: new TaskRuns(service, tools.values()) };
  };
  const { service, tools, tasks } = makeTasks();
  const [tool] = tools.values();
  if (tool === undefined) throw new Error("There is no tool.");
  const start = async (caller = ada, args: object = {}, ttlMs?: number) =>
    await tasks.start({ tool, args: { message: "tea", ...args }, caller, ttlMs });
  return { service, tasks, given, start, makeTasks, plain };
}

describe("a task that begins", () => {
  it("runs with the caller's options over the host's, in a new session", async () => {
    const runOptions = vi.fn<() => object>(() => ({ metadata: { plan: "gold" } }));
    const { given, start } = startTasks({ runOptions });
    const source = localSource();
    const request = source.toRequest();
    const asking = { ...source, toRequest: () => request };
    const { run, tool } = await start({ ...callerOf({ userId: "ada", tenantId: "t" }), source: asking });
    await expect.poll(() => given, { interval: 1 }).toHaveLength(1);
    expect(given[0]).toMatchObject({
      metadata: { plan: "gold" },
      userId: "ada",
      tenantId: "t",
      runId: run.runId,
      sessionId: id,
      isNewSession: true,
      fromOutside: true,
    });
    expect(runOptions.mock.calls).toStrictEqual([[request]]);
    expect([run.kind, run.name, tool.definition.name]).toEqual(["agent", "plain", "ask_plain"]);
  });

  it("goes on with the session that it names, which is not new", async () => {
    const { given, start } = startTasks();
    await start(ada, { sessionId: "s1" });
    await expect.poll(() => given, { interval: 1 }).toHaveLength(1);
    expect(given[0]).toMatchObject({ sessionId: "s1" });
    expect(given[0]?.isNewSession ?? false).toBe(false);
  });

  it("is refused for wrong arguments before anything is kept", async () => {
    const { start, tasks, service } = startTasks();
    await expect(start(ada, { message: 7 })).rejects.toMatchObject({
      code: "invalid_request",
      message: "message must be a string.",
    });
    expect([service.servedRuns.size, await tasks.list(ada, undefined)]).toEqual([0, { tasks: [] }]);
  });
});

describe("the list of a user's tasks", () => {
  it("is empty before there is one, from each place", async () => {
    const { tasks } = startTasks();
    for (const cursor of [undefined, "0.", "1."]) expect(await tasks.list(ada, cursor)).toEqual({ tasks: [] });
  });

  it("has 50 on a page", async () => {
    const { tasks, start } = startTasks();
    for (let count = 0; count < 51; count++) {
      const { service, run } = await start();
      await expect.poll(async () => (await service.get(run.runId, "host")).endedAt, { interval: 1 }).toBeDefined();
    }
    const first = await tasks.list(ada, undefined);
    const rest = await tasks.list(ada, first.next);
    expect([first.tasks.length, first.next?.slice(0, 2), rest.tasks.length, rest.next]).toEqual([
      50,
      "1.",
      1,
      undefined,
    ]);
    expect(new Set([...first.tasks, ...rest.tasks].map(({ run }) => run.runId)).size).toBe(51);
    expect(await tasks.list(callerOf({ userId: "ada", tenantId: "t" }), undefined)).toEqual({ tasks: [] });
  });

  it.each(["", "2.a", "0", "x", "00.a", `0.${"x".repeat(101)}`, "0.a\nb"])("has no place %j", async (cursor) => {
    await expect(startTasks().tasks.list(ada, cursor)).rejects.toMatchObject({
      code: "invalid_request",
      message: "The cursor must be the nextCursor of the page before.",
    });
  });

  it("has those of the host's service first, without runs of what is not served here", async () => {
    const { plain, makeTasks } = startTasks();
    const runs = new RunService({ agents: { plain, other: { ...plain, name: "other" } } });
    onTestFinished(async () => await runs.close());
    const list = vi.spyOn(runs, "list");
    const pages = [
      { runs: [{ kind: "agent", name: "other", runId: "r1" }], next: "r1" },
      {
        runs: [
          { kind: "agent", name: "plain", runId: "r2" },
          { kind: "team", name: "plain", runId: "r3" },
        ],
      },
    ];
    list.mockImplementation(async () => await Promise.resolve(pages.shift() as never));
    const { tasks } = makeTasks({ runs });
    const page = await tasks.list(callerOf({ userId: "ada", tenantId: "t", apiKey: "key" }), undefined);
    expect(page.tasks.map(({ run }) => run.runId)).toEqual(["r2"]);
    expect(page).not.toHaveProperty("next");
    const owner = { userId: "ada", tenantId: "t" };
    expect(list.mock.calls).toEqual([
      [owner, { limit: 50, after: undefined }],
      [owner, { limit: 50, after: "r1" }],
    ]);
  });
});

describe("a task that is looked for", () => {
  const missing = {
    code: "not_found",
    message: "Task not found. It may be over and removed, or belong to another user.",
  };

  it("is found by its own user alone", async () => {
    const { tasks, start } = startTasks();
    const { run } = await start();
    expect(await tasks.find(run.runId, ada)).toMatchObject({ run: { runId: run.runId }, tool: expect.anything() });
    for (const other of [callerOf(), callerOf({ userId: "bob" }), callerOf({ userId: "ada", tenantId: "t" })]) {
      await expect(tasks.find(run.runId, other)).rejects.toMatchObject(missing);
    }
    for (const taskId of ["", "nothing", "constructor"]) {
      await expect(tasks.find(taskId, ada)).rejects.toMatchObject(missing);
    }
  });

  it.each([
    ["is shown again when another question has come by the time its answer is read", ["q1", "q2"], 2],
    ["is shown once while its question stays", ["q1", "q1"], 1],
  ])("a task that is looked for that waits %s", async (_, [first = "", second = ""], shown) => {
    const { service, tasks } = startTasks();
    const viewOf = (waitId: string) => ({ runId: "r1", status: "waiting", waits: [{ id: waitId }] });
    const over = { runId: "r1", status: "completed", endedAt: 7 };
    const pauses: object[] = [viewOf(first), over];
    const run = {
      signal: new AbortController().signal,
      leave: () => undefined,
      end: () => undefined,
      untilPaused: async () => await Promise.resolve(pauses.shift()),
      next: async () => await Promise.resolve({ type: "attempt" }),
      view: async () => await Promise.resolve(viewOf(second)),
    };
    vi.spyOn(service.servedRuns, "find").mockResolvedValue({ run, view: viewOf(first) } as never);
    const seen = await Array.fromAsync(tasks.follow({ run } as never, run.signal));

    expect(seen).toEqual([...[viewOf(first), viewOf(second)].slice(0, shown), over]);
  });

  it("fails with the failure of the service", async () => {
    const { plain, makeTasks } = startTasks();
    const runs = new RunService({ agents: { plain } });
    onTestFinished(async () => await runs.close());
    const failure = new TroupeError("storage_unavailable", "It is away.");
    vi.spyOn(runs, "get").mockRejectedValue(failure);
    const { tasks } = makeTasks({ runs });
    await expect(tasks.find("r1", ada)).rejects.toBe(failure);
    const task = { service: runs, run: { runId: "r1" } } as never;
    await expect(tasks.follow(task, new AbortController().signal).next()).rejects.toBe(failure);
  });
});

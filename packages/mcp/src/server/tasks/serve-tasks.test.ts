import * as library from "@modelcontextprotocol/server";
import { TroupeError } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { ada, approval, over, running, serve } from "../../../test/task-requests.ts";
import type { Era } from "../../../test/task-requests.ts";
import { notifyOfTask, taskCapabilities, toProtocolError } from "./serve-tasks.ts";

describe("the tasks of a server", () => {
  const legacy = { cancel: {}, requests: { tools: { call: {} } } };

  it.each<[Era, object, object, string[]]>([
    [
      "modern",
      ada,
      { extensions: { "io.modelcontextprotocol/tasks": {} } },
      ["tasks/get", "tasks/cancel", "tasks/update"],
    ],
    ["legacy", ada, { tasks: { ...legacy, list: {} } }, ["tasks/get", "tasks/cancel", "tasks/result", "tasks/list"]],
    ["legacy", {}, { tasks: legacy }, ["tasks/get", "tasks/cancel", "tasks/result"]],
  ])("of the %s revision for %j are declared and answered", (...[era, opts, capabilities, methods]) => {
    const { making, handlers } = serve({ era, opts });
    expect(taskCapabilities(making)).toStrictEqual(capabilities);
    expect(Object.keys(handlers)).toEqual(methods);
  });

  it.each(["tasks/get", "tasks/cancel", "tasks/update"])(
    "are refused by %s to a client that takes none",
    async (method) => {
      const { ask, tasks } = serve({ era: "modern" });
      await expect(ask(method, { taskId: "r1" }, { envelope: {} })).rejects.toMatchObject({ code: -32_021 });
      expect(tasks.find).not.toHaveBeenCalled();
    },
  );

  it.each<[unknown]>([[7], [undefined], [null], [["r1"]]])("are refused for the id %j", async (taskId) => {
    for (const method of ["tasks/get", "tasks/cancel", "tasks/result"]) {
      await expect(serve().ask(method, { taskId })).rejects.toMatchObject({
        code: -32_602,
        message: "taskId must be a string.",
      });
    }
  });
});

describe("the error of a request about tasks", () => {
  it.each<[string, number, string, number]>([
    ["not_found", -32_602, "No.", 0],
    ["gone", -32_602, "No.", 0],
    ["invalid_request", -32_602, "No.", 0],
    ["conflict", -32_602, "No.", 0],
    ["unavailable", -32_603, "No.", 0],
    ["timeout", -32_603, "No.", 0],
    ["internal", -32_603, "Something went wrong in this service.", 1],
  ])("that is %s has the code %i, and a fault of the service is logged", (...[ours, code, message, lines]) => {
    const { making, error } = serve();
    const failure = new TroupeError(ours as "internal", "No.");
    expect(toProtocolError(failure, making)).toMatchObject({ code, message });
    const line = ["A request about tasks failed by a fault of the service.", { error: failure }];
    expect(error.mock.calls).toEqual(Array.from({ length: lines }, () => line));
  });

  it("the error of a request about tasks that is one of the protocol stays as it is", () => {
    const error = new library.ProtocolError(-32_601, "No.");
    expect(toProtocolError(error, serve().making)).toBe(error);
  });
});

describe("a list of tasks", () => {
  it("has those of the caller, and the place of the next page", async () => {
    const { ask, tasks, caller } = serve();
    expect(await ask("tasks/list", { cursor: "0." })).toMatchObject({
      tasks: [{ taskId: "r1", status: "working" }],
      nextCursor: "0.r1",
    });
    tasks.list.mockResolvedValueOnce({ tasks: [] });
    expect(await ask("tasks/list", {})).toStrictEqual({ tasks: [] });
    expect(tasks.list.mock.calls).toEqual([
      [caller, "0."],
      [caller, undefined],
    ]);
    await expect(ask("tasks/list", { cursor: 7 })).rejects.toMatchObject({
      code: -32_602,
      message: "cursor must be a string.",
    });
  });
});

describe("a cancel", () => {
  const cancelled = [["r1", "host", "Cancelled by the client."]];

  it("a cancel of the earlier revision waits for the end of the run", async () => {
    const { ask, service, tasks, caller } = serve({ later: [running, over, running] });
    expect(await ask("tasks/cancel")).toMatchObject({ taskId: "r1", status: "cancelled" });
    expect(service.cancel.mock.calls).toEqual(cancelled);
    expect(tasks.find.mock.calls).toEqual([["r1", caller]]);
    expect(await serve({ later: [running] }).ask("tasks/cancel")).toMatchObject({ status: "cancelled" });
  });

  it("a cancel of a task that is over is refused by the earlier revision, and taken by the later", async () => {
    const [legacy, modern] = [serve({ run: over }), serve({ run: over, era: "modern" })];
    await expect(legacy.ask("tasks/cancel")).rejects.toMatchObject({
      code: -32_602,
      message: "The task is over already: it is cancelled.",
    });
    expect(await modern.ask("tasks/cancel")).toStrictEqual({});
    for (const { service } of [legacy, modern]) expect(service.cancel).not.toHaveBeenCalled();
  });

  it("a cancel of the later revision waits for nothing", async () => {
    const { ask, service, tasks } = serve({ era: "modern" });
    expect(await ask("tasks/cancel")).toStrictEqual({});
    expect([service.cancel.mock.calls, tasks.follow.mock.calls.length]).toEqual([cancelled, 0]);
  });
});

describe("the result of a task", () => {
  it("comes with the end of the run, after the changes of its status, and names the task", async () => {
    const { ask, calls, tasks } = serve({
      later: [running, { ...over, error: { code: "cancelled", message: "Enough." } }],
    });
    const notify = vi.fn<(message: object) => Promise<void>>(async () => await Promise.reject(new Error("left")));
    const { signal } = new AbortController();
    expect(await ask("tasks/result", { taskId: "r1" }, { notify, signal })).toStrictEqual({
      content: [{ type: "text", text: "Enough." }],
      isError: true,
      _meta: { "io.modelcontextprotocol/related-task": { taskId: "r1" } },
    });
    expect(notify.mock.calls).toMatchObject([
      [{ method: "notifications/tasks/status", params: { taskId: "r1", status: "working" } }],
    ]);
    expect([calls.size, tasks.follow.mock.calls.length]).toEqual([0, 1]);
  });

  it("is no longer waited for when the service ends", async () => {
    const { ask, calls } = serve({ later: [running] });
    const notify = async () => await Promise.resolve();
    await expect(ask("tasks/result", { taskId: "r1" }, { notify })).rejects.toMatchObject({
      code: -32_603,
      message: "The service ends, and the task goes on. Ask for its result again.",
    });
    expect(calls.size).toBe(0);
  });
});

describe("the answers of a client", () => {
  const waiting = { ...running, status: "waiting", waits: [approval("t.0"), approval("t.1")] };
  const accept = { action: "accept" };

  it.each<[string, object, string[], number]>([
    ["to all questions", { "t.0": accept, "t.1": accept }, ["t.0", "t.1"], 0],
    ["to one of two, and wait for the other to be asked", { "t.1": accept }, ["t.1"], 1],
    ["to what is not asked", { "t.2": accept, toString: accept }, [], 0],
    ["that leave a question open", { "t.0": { action: "later" } }, [], 0],
  ])("are taken %s", async (...[, inputResponses, ids, follows]) => {
    const later = [waiting, { ...waiting, waits: [approval("t.0")] }, running];
    const { ask, service, tasks } = serve({ era: "modern", run: waiting, later });
    expect(await ask("tasks/update", { taskId: "r1" }, { inputResponses })).toStrictEqual({});
    expect(service.answer.mock.calls).toEqual(ids.map((id) => ["r1", id, { approved: true }, "host"]));
    const task = expect.objectContaining({ run: waiting }) as unknown;
    expect(tasks.follow.mock.calls).toEqual(Array.from({ length: follows }, () => [task, expect.any(AbortSignal)]));
    expect(later).toHaveLength(3 - 2 * follows);
  });

  it("wait no longer than for the end of the run", async () => {
    const later = [{ ...over, waits: [] }, running];
    const { ask } = serve({ era: "modern", run: waiting, later });
    expect(await ask("tasks/update", { taskId: "r1" }, { inputResponses: { "t.1": accept } })).toStrictEqual({});
    expect(later).toEqual([running]);
  });

  it("the answers of a client that come second are passed over, and a failure is told", async () => {
    const { ask, service } = serve({ era: "modern", run: waiting });
    const update = async () => await ask("tasks/update", { taskId: "r1" }, { inputResponses: { "t.0": accept } });
    for (const code of ["conflict", "not_found"] as const) {
      service.answer.mockRejectedValueOnce(new TroupeError(code, "No."));
      expect(await update()).toStrictEqual({});
    }
    service.answer.mockRejectedValueOnce(new TroupeError("storage_unavailable", "No."));
    await expect(update()).rejects.toMatchObject({ code: -32_603 });
  });

  it("are refused where there are none", async () => {
    await expect(serve({ era: "modern" }).ask("tasks/update")).rejects.toMatchObject({
      code: -32_602,
      message: "inputResponses must be an object of answers by the keys of inputRequests.",
    });
  });
});

describe("the questions of a waiting run to the client that waits for its result", () => {
  it("are each asked once, and withdrawn when another answers them, or when the result comes", async () => {
    const asked = new Map<string, AbortSignal>();
    const openAfter: string[][] = [];
    const send = vi.fn<(message: object, options: { signal: AbortSignal }) => Promise<object>>();
    send.mockImplementation(async (_, { signal }) => {
      asked.set(`t.${asked.size}`, signal);
      return await new Promise<object>((...[, reject]) => signal.addEventListener("abort", () => reject(new Error())));
    });
    const waiting = (...ids: string[]) => ({ ...running, status: "waiting", waits: ids.map(approval) });
    const { ask, tasks } = serve({ isKept: true });
    const open = () => [...asked].flatMap(([id, signal]) => (signal.aborted ? [] : [id]));
    tasks.follow.mockImplementation(async function* () {
      for (const run of [waiting("t.0", "t.1"), waiting("t.0", "t.1"), running, waiting("t.1"), over]) {
        yield await Promise.resolve(run);
        openAfter.push(open());
      }
    });
    await ask("tasks/result", { taskId: "r1" }, { send, signal: new AbortController().signal });

    expect(openAfter).toEqual([["t.0", "t.1"], ["t.0", "t.1"], ["t.0", "t.1"], ["t.1"]]);
    expect(send).toHaveBeenCalledTimes(2);
    expect(open()).toEqual([]);
  });
});

describe("the notifications of tasks", () => {
  it("end with their connection, whose own listener is called once, too", async () => {
    const { server, making, task, tasks } = serve();
    const { onclose } = server;
    const signals: AbortSignal[] = [];
    tasks.follow.mockImplementation(async function* (_, signal) {
      signals.push(signal as AbortSignal);
      yield await Promise.resolve(running);
    });
    const connection = server as unknown as library.Server;
    for (let count = 0; count < 2; count++) notifyOfTask(connection, task as never, making);
    await vi.waitFor(() => expect(server.notification).toHaveBeenCalledTimes(2));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    connection.onclose?.();

    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(onclose).toHaveBeenCalledTimes(1);
  });
});

describe("a request for the result of a task", () => {
  it.each([
    ["ends when its answer has been sent", [over]],
    ["that the service cannot wait for ends when its refusal has been sent", []],
  ])("%s, so that a shutdown waits for that", async (_what, later) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { ask, calls } = serve({ later, answered: promise });
    await ask("tasks/result").catch(() => undefined);
    const idle = vi.fn<() => void>();
    const waited = calls.untilIdle().then(idle);
    await new Promise((next) => setImmediate(next));
    expect([calls.size, idle.mock.calls.length]).toEqual([1, 0]);

    resolve();
    await waited;
    expect(calls.size).toBe(0);
  });

  it("ends at once where nothing tells that its answer has been sent", async () => {
    const { ask, calls } = serve({ later: [over] });
    await ask("tasks/result");
    expect(calls.size).toBe(0);
  });
});

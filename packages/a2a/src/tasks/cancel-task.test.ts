import { describe, expect, it, vi } from "vitest";
import { cancelTask } from "./cancel-task.ts";
import type { TaskRuns } from "./task-runs.ts";

const owner = { userId: "ada", tenantId: "north" };

/** The runs of a server with one task `t`, whose record reads `status` first and `later` after its cancel. */
function runsOf(status: string, later: string, outcome = "cancelling") {
  const tail = { leave: vi.fn<() => void>(), end: vi.fn<() => void>(), follow: () => undefined };
  const get = vi.fn<(...given: unknown[]) => Promise<unknown>>(
    async () => await Promise.resolve({ runId: "r", status: later }),
  );
  const cancel = vi.fn<(...given: unknown[]) => Promise<unknown>>(async () => await Promise.resolve(outcome));
  const run = { runId: "r", kind: "agent", service: { cancel }, view: get, ...tail };
  const find = vi.fn<(...given: unknown[]) => Promise<unknown>>(
    async () => await Promise.resolve({ run, view: { runId: "r", kind: "agent", status } }),
  );
  const runs = { find } as unknown as TaskRuns;
  return { runs, tail, get, cancel, find };
}

const request = () => ({ id: "t", owner, cancelsAgain: false, left: new AbortController().signal });
const message = "The task is over: it cannot be cancelled any more.";
const refused = expect.objectContaining({ kind: "task-not-cancelable", message }) as Error;

describe("the cancel of a task", () => {
  it("is that of its owner, answers with the run once it is over, and follows it no more", async () => {
    const { runs, tail, get, cancel, find } = runsOf("running", "cancelled");
    expect(await cancelTask(runs, request())).toEqual({ runId: "r", status: "cancelled" });
    expect(find.mock.calls).toEqual([["t", owner]]);
    expect(cancel.mock.calls).toEqual([["r", owner, "Cancelled on request."]]);
    expect(get).toHaveBeenCalledOnce();
    expect(tail.end).toHaveBeenCalledOnce();
  });

  it.each(["completed", "failed"])("is refused for a run that is %s meanwhile", async (later) => {
    const { runs, tail } = runsOf("running", later);
    await expect(cancelTask(runs, request())).rejects.toThrow(refused);
    expect(tail.end).toHaveBeenCalledOnce();
  });

  it("ends its following when the record cannot be read", async () => {
    const { runs, tail, get } = runsOf("running", "cancelled");
    const error = new Error("The storage is away.");
    get.mockRejectedValue(error);
    await expect(cancelTask(runs, request())).rejects.toBe(error);
    expect(tail.end).toHaveBeenCalledOnce();
  });

  it("answers with nothing when the client has left", async () => {
    const { runs, tail, cancel } = runsOf("running", "running");
    expect(await cancelTask(runs, { ...request(), left: AbortSignal.abort() })).toBeUndefined();
    expect(cancel).toHaveBeenCalledOnce();
    expect([tail.leave.mock.calls.length, tail.end.mock.calls.length]).toEqual([1, 1]);
  });

  it("answers again for a cancelled task, where that is asked for, and else is refused", async () => {
    const { runs, cancel } = runsOf("cancelled", "cancelled", "over");
    const again = await cancelTask(runs, { ...request(), cancelsAgain: true });
    expect([again?.status, cancel.mock.calls.length]).toEqual(["cancelled", 0]);
    await expect(cancelTask(runs, request())).rejects.toThrow(refused);
  });

  it("is refused for a task that has completed, however it is asked for", async () => {
    const { runs } = runsOf("completed", "completed", "over");
    await expect(cancelTask(runs, { ...request(), cancelsAgain: true })).rejects.toThrow(refused);
  });

  it.each([
    ["running", true],
    ["queued", true],
    ["waiting", true],
    ["running", false],
  ])(
    "answers for a task that was %s until another cancel ended it: cancelsAgain is %s",
    async (status, cancelsAgain) => {
      const { runs, get, tail } = runsOf(status, "cancelled", "over");
      expect(await cancelTask(runs, { ...request(), cancelsAgain })).toEqual({ runId: "r", status: "cancelled" });
      expect(get).toHaveBeenCalledOnce();
      expect(tail.end).toHaveBeenCalledOnce();
    },
  );

  it.each(["completed", "error"])("is refused for a task that was running until its end: %s", async (later) => {
    for (const cancelsAgain of [true, false]) {
      const { runs, tail } = runsOf("running", later, "over");
      await expect(cancelTask(runs, { ...request(), cancelsAgain })).rejects.toThrow(refused);
      expect(tail.end).toHaveBeenCalledOnce();
    }
  });

  it.each(["completed", "error", "cancelled"])("asks no more for a task that was %s before", async (status) => {
    const { runs, get } = runsOf(status, "cancelled", "over");
    await expect(cancelTask(runs, request())).rejects.toThrow(refused);
    expect(get).not.toHaveBeenCalled();
  });
});

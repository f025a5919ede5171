import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { createLogger } from "../../base/log/logger.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { RunService } from "../../runs/service/run-service.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { ServedRuns } from "./served-runs.ts";
import type { ServedRunsOptions } from "./served-runs.ts";
import type { ServedStoredRun } from "./served-stored-run.ts";
import { ada, hosted, notFound, plainTerms, requestedOf, serving, termsOf } from "./test/hosted-service.ts";

type Line = { level: string; message: string } & Record<string, unknown>;

/** Serves one agent that is in no service of the host, with the lines of the log. With `maxOpen`, its runs wait for `open`. */
function servingPlain(more: Partial<ServedRunsOptions> = {}) {
  const lines: Line[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => lines.push(JSON.parse(line) as Line) });
  const gate = Promise.withResolvers<void>();
  if (more.maxOpen === undefined) gate.resolve();
  const model = new ScriptedModel().respond(() => ({ text: "Hello." }));
  const plain = new Agent({ name: "plain", model, hooks: { beforeRun: async () => await gate.promise } });
  const served = { agents: new Map([["plain", plain]]), teams: new Map() };
  const runs = new ServedRuns(served, { resumeMs: 1000, logger, ...more });
  onTestFinished(async () => await runs.close());
  return { runs, lines, open: gate.resolve };
}

/** Begins a run in memory, and returns it once it is over. */
async function storedPlain(runs: ServedRuns) {
  const run = await runs.beginStored(requestedOf(), plainTerms);
  await run.over;
  return run;
}

describe("the runs that a process stores", () => {
  it("are at most as many open ones as the service says", async () => {
    const { runs, open } = servingPlain({ maxOpen: 2 });
    const [first] = await Promise.all([1, 2].map(() => runs.beginStored(requestedOf(), plainTerms)));
    const refused = crypto.randomUUID();
    expect(runs.size).toBe(2);
    await expect(runs.beginStored(requestedOf(refused), plainTerms)).rejects.toMatchObject({
      code: "rate_limited",
      message: "Callers without a user have 2 open runs, which is the limit. Try again later, or sign in.",
    });
    await expect(runs.find(refused, {})).rejects.toMatchObject(notFound);
    open();
    await first?.over;
    expect((await runs.beginStored(requestedOf(refused), plainTerms)).runId).toBe(refused);
  });

  it("do not bound the runs of the host's service", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable, { maxOpen: 1 });
    for (const runId of ["1", "2"]) await runs.begin(requestedOf(runId), termsOf());
    expect(calls).toMatchObject([
      ["accept", { beforeStored: undefined }],
      ["accept", { beforeStored: undefined }],
    ]);
  });

  it.each([
    [1000, 3_600_000],
    [3_600_001, 3_600_001],
  ])("can be asked for by their ids for an hour at least: resumeMs %i makes it %i ms", async (resumeMs, storedMs) => {
    const { runs, lines } = servingPlain({ resumeMs });
    const { runId } = await storedPlain(runs);
    const { view } = await runs.find(runId, {});
    expect([view.status, (view.expiresAt ?? 0) - (view.endedAt ?? 0)]).toEqual(["completed", storedMs]);
    expect(lines).toEqual([]);
  });

  it("cannot be stored where their service does not begin, which the log says", async () => {
    const serve = vi.spyOn(RunService.prototype, "serve").mockRejectedValueOnce(new Error("No engine."));
    onTestFinished(() => serve.mockRestore());
    const { runs, lines } = servingPlain();
    await runs.beginStored(requestedOf(), plainTerms);
    await new Promise(setImmediate);
    expect(lines).toMatchObject([
      { level: "error", message: "Runs cannot be stored in this process.", error: { message: "No engine." } },
    ]);
    expect(serve.mock.calls).toEqual([[{ concurrency: Number.MAX_SAFE_INTEGER }]]);
  });
});

describe("a stored run of two services", () => {
  it("is looked for in memory first, and in the host's service when it is not there", async () => {
    const { durable, service, view, calls } = hosted();
    const runs = serving(durable);
    const inMemory = (await storedPlain(runs)).service;
    const own = vi.spyOn(inMemory, "get");
    const found = await runs.find("r", ada);
    expect([found.view, found.run.service, found.run.isDurable]).toEqual([view, service, true]);
    expect(own.mock.calls).toEqual([["r", ada]]);
    expect(calls).toEqual([["get", "r", ada]]);

    own.mockResolvedValueOnce({ runId: "r" } as never);
    const second = await runs.find("r", ada);
    expect([second.view, second.run.service, second.run.isDurable]).toEqual([{ runId: "r" }, inMemory, false]);
    expect(calls).toHaveLength(1);
    await expect(runs.find("q", ada)).rejects.toMatchObject(notFound);
  });

  it("is not looked for in the host's service where the one in memory fails", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    const failure = new TroupeError("storage_corrupt", "Broken.");
    vi.spyOn((await storedPlain(runs)).service, "get").mockRejectedValueOnce(failure);
    await expect(runs.find("r", ada)).rejects.toBe(failure);
    expect(calls).toEqual([]);
  });

  it("has its record in the host's service still while the one in memory cannot forget the session", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    const failure = new Error("The run does not end.");
    vi.spyOn((await storedPlain(runs)).service, "forgetSession").mockRejectedValueOnce(failure);
    await expect(runs.forgetSession("s", ada)).rejects.toBe(failure);
    expect(calls).toEqual([]);
  });
});

describe("a client that follows a stored run", () => {
  /** The runs of a service whose durable run `r` has no event. */
  const following = () => {
    const { durable, service } = hosted();
    const returned = vi.fn<() => void>();
    const events = () => ({
      next: async () => await new Promise<never>(() => {}),
      return: async () => {
        returned();
        return await Promise.resolve({ done: true, value: undefined });
      },
    });
    Object.assign(service, { events });
    const runs = serving(durable);
    const follow = async (): Promise<ServedStoredRun> => {
      const { run } = await runs.find("r", ada);
      run.follow("7");
      onTestFinished(() => run.end());
      return run;
    };
    return { runs, follow, returned };
  };

  it.each(["drain", "close"] as const)(
    "is told by %s that a durable run goes on without it, and is waited for",
    async (how) => {
      const { runs, follow } = following();
      const run = await follow();
      const order: string[] = [];
      const done = runs[how]().then(() => order.push("over"));
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(run.signal.reason).toMatchObject({ code: "interrupted", fields: { runId: "r", retryAfterMs: 1000 } });
      order.push("left");
      run.end();
      await done;
      expect(order).toEqual(["left", "over"]);
      await expect(follow()).rejects.toMatchObject({ code: "interrupted" });
    },
  );

  it("is told of the end of all who follow durable runs also if it has just begun its run", async () => {
    const { runs } = following();
    const run = (await runs.begin(requestedOf("r"), termsOf())) as ServedStoredRun;
    run.follow();
    runs.endAll();
    expect(run.signal.reason).toMatchObject({ code: "interrupted", fields: { runId: "r" } });
    run.end();
  });

  it("is told at once by endAll that a durable run goes on without it", async () => {
    const { runs, follow, returned } = following();
    const run = await follow();
    expect(run.signal.aborted).toBe(false);
    runs.endAll();
    expect(run.signal.reason).toMatchObject({ code: "interrupted", fields: { runId: "r" } });
    expect(returned).toHaveBeenCalledOnce();
  });

  it("reads a run in memory on to its end, whatever shuts down", async () => {
    const { runs } = following();
    const { runId, service } = await storedPlain(runs);
    const { run } = await runs.find(runId, {});
    const later = (await runs.find(runId, {})).run;
    run.follow();
    onTestFinished(() => run.end());
    runs.endAll();
    expect(run.signal.aborted).toBe(false);
    expect(() => later.follow().end()).not.toThrow();
    await runs.close();
    expect([run.signal.aborted, run.service]).toEqual([false, service]);
  });
});

it("the runs of a process are closed even where the host's part of the shutdown fails, which is told in the end", async () => {
  const { durable, service } = hosted();
  const failure = new Error("The files cannot be removed.");
  const runs = serving(durable);
  const later = vi.fn<() => Promise<void>>(async () => undefined);
  runs.afterRuns(async () => await Promise.reject(failure));
  runs.afterRuns(later);
  const closed = vi.spyOn((await storedPlain(runs)).service, "close");
  const unable = new Error("The storage is down.");
  service.drain = async () => await Promise.reject(unable);
  Object.assign(service, { events: () => ({ return: async () => await Promise.resolve() }) });
  const { run } = await runs.find("r", ada);
  run.follow();
  const drained = runs.drain().catch((error: unknown) => error);
  await new Promise(setImmediate);
  expect(run.signal.reason).toMatchObject({ code: "interrupted" });
  run.end();
  expect(await drained).toBe(failure);
  expect([later.mock.calls.length, closed.mock.calls.length]).toEqual([1, 1]);
});

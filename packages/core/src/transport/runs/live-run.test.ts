import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ada, liveRun, openRunnable, output, usage } from "./test/live-runs.ts";

const disconnected = { code: "cancelled", message: "The client disconnected before the answer." };

describe("a live run", () => {
  it("has the ids, the kind and the name of its request, and is stored nowhere", () => {
    const { run } = liveRun({ kind: "team" });

    expect(run).toMatchObject({
      runId: "r",
      sessionId: "s",
      kind: "team",
      name: "a",
      isStored: false,
      isDurable: false,
    });
  });

  it("begins with its first call, and is active until it is over", async () => {
    const { subject, began } = openRunnable();
    const { run, active } = liveRun({ subject });
    expect([active.size, active.cancel("r", ada), began.mock.calls]).toEqual([0, false, []]);

    const settled = run.settled();
    expect(active.size).toBe(1);
    expect(began).toHaveBeenCalledExactlyOnceWith("Hi.", expect.objectContaining({ runId: "r", signal: run.signal }));
    run.disconnect();
    await expect(settled).rejects.toMatchObject(disconnected);
    expect([active.size, active.cancel("r", ada)]).toEqual([0, false]);
  });

  it("stays over once it is, also for another run of its id", async () => {
    const { run, active } = liveRun({ subject: { run: async () => output } });
    await run.settled();
    run.finish();

    expect([active.size, run.signal.aborted]).toEqual([0, false]);
  });

  it("is cancelled by its id for its owner alone, with the reason as the error of the run", async () => {
    const { run, active } = liveRun({ subject: openRunnable().subject });
    const settled = run.settled().catch((error: unknown) => error);
    for (const other of [{ userId: "bob" }, { userId: "ada", verified: false }, { ...ada, tenantId: "t" }, {}])
      expect(active.cancel("r", other)).toBe(false);
    expect(run.signal.aborted).toBe(false);
    expect(active.cancel("r", ada)).toBe(true);

    expect(run.signal.reason).toMatchObject({ code: "cancelled", message: "The run was cancelled on request." });
    expect(await settled).toBe(run.signal.reason);
  });

  it("is cancelled by all who know its id if its client has no user", async () => {
    const { run, active } = liveRun({ owner: {}, subject: openRunnable().subject });
    const settled = run.settled();
    expect(active.cancel("q", {})).toBe(false);
    expect(active.cancel("r", ada)).toBe(true);

    await expect(settled).rejects.toBe(run.signal.reason);
  });

  it("has the first reason of its end as its error", async () => {
    const { run, active } = liveRun({ subject: openRunnable().subject });
    const settled = run.settled();
    run.disconnect();
    active.cancel("r", ada);
    active.endAll();

    await expect(settled).rejects.toMatchObject(disconnected);
  });

  it.each(["settled", "events"] as const)(
    "does not begin by %s for a client that has left, and is not counted",
    async (how) => {
      const { subject, began } = openRunnable();
      const { run, active } = liveRun({ subject });
      run.disconnect();

      await expect((async () => await run[how]())()).rejects.toMatchObject(disconnected);
      expect([active.size, began.mock.calls]).toEqual([0, []]);
    },
  );

  it("is ended by a shutdown, and refused while that drains, also if it was made before", async () => {
    const { subject, began } = openRunnable();
    const { run, active } = liveRun({ subject });
    const early = liveRun({ subject }, active).run;
    const settled = run.settled();
    const unavailable = { code: "unavailable", fields: { retryAfterMs: 1000 } };
    void active.drain();
    active.endAll();

    await expect(settled).rejects.toMatchObject(unavailable);
    expect(() => liveRun({ subject }, active)).toThrow(expect.objectContaining(unavailable));
    await expect(early.settled()).rejects.toMatchObject(unavailable);
    expect(() => early.events()).toThrow(expect.objectContaining(unavailable));
    expect([active.size, began.mock.calls.length]).toEqual([0, 1]);
  });

  it("fails with what was thrown as long as it is not cancelled", () => {
    const { run } = liveRun();
    const error = new TroupeError("model_failed", "No.");
    expect(run.toError(error)).toBe(error);
    expect(run.toError(new Error("sk-secret"))).toMatchObject({ code: "internal" });
    run.disconnect();
    expect(run.toError(error)).toBe(error);
    expect(run.toError(new Error("sk-secret"))).toMatchObject(disconnected);
  });
});

describe("the result of a live run", () => {
  it("is the public output of an agent, with the ids of its request where a third party's has none", async () => {
    const { run } = liveRun({ subject: { run: async () => output } });
    const third = liveRun({ subject: { run: async () => ({ text: "Hé.", toolCalls: [], usage }) } }).run;

    const settled = await run.settled();
    expect(settled).toEqual({ output: expect.objectContaining({ text: "Hé.", runId: "r", sessionId: "s", usage }) });
    expect(settled.output).not.toHaveProperty("secret");
    expect(await third.settled()).toEqual({
      output: expect.objectContaining({ text: "Hé.", runId: "r", sessionId: "s", durationMs: expect.any(Number) }),
    });
  });

  it.each([
    ["an object", { a: 1 }, { input: { a: 1 } }],
    ["a string", "Hi.", { input: "Hi." }],
    ["nothing", undefined, {}],
  ])("is that of a workflow whose input is %s", async (_what, input, expected) => {
    const ran = vi.fn<(opts: object) => Promise<object>>(async () => ({ status: "completed", state: {}, secret: 1 }));
    const { run } = liveRun({ kind: "workflow", input, subject: { run: ran } });

    const settled = await run.settled();
    expect(settled.output).toMatchObject({ status: "completed", state: {} });
    expect(settled.output).not.toHaveProperty("secret");
    const [[opts]] = ran.mock.calls as [[object]];
    expect(opts).toMatchObject({ runId: "r", sessionId: "s", signal: run.signal, ...expected });
    expect("input" in opts).toBe(input !== undefined);
  });

  it("is the error of a run that cannot begin, and the run is over", async () => {
    const error = new TroupeError("invalid_request", "Wrong input.");
    const subject = {
      run: () => {
        throw error;
      },
    };
    const { run, active } = liveRun({ subject });

    await expect(run.settled()).rejects.toBe(error);
    expect(active.size).toBe(0);
  });
});

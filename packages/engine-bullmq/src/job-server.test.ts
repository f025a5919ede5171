import { describe, expect, it, onTestFinished, vi } from "vitest";
import { jobOf, RecordingBackend, serverOn, startPerforming } from "../test/job-servers.ts";
import { ClockGuard } from "./clock-guard.ts";

describe("JobServer", () => {
  it("locks jobs for 3 s, and renews locks and looks for expired ones each second", async () => {
    const backend = new RecordingBackend();
    const { server, start } = serverOn(backend);
    await start();
    await server.drain(0);

    expect(backend.settings[0]).toEqual({
      concurrency: 7,
      lockDuration: 3000,
      lockRenewTime: 1000,
      stalledInterval: 1000,
      maxStalledCount: 2 ** 31 - 1,
      runRetryDelay: 1000,
      drainDelay: 1,
      autorun: false,
    });
  });

  it.each([0, 1])("makes no more workers when it is drained with %i of them made, and closes those", async (made) => {
    const reached: (() => void)[] = [];
    const wait = async () => await new Promise<void>((resolve) => reached.push(resolve));
    const backend = new RecordingBackend(async () => (backend.workers.length < made ? undefined : await wait()));
    if (made === 0) backend.clock.clearFutureChecks = wait;
    const { server, start } = serverOn(backend);
    const started = start();
    await vi.waitFor(() => expect(reached).toHaveLength(1));
    await server.drain(0);
    for (const resolve of reached) resolve();

    await expect(started).rejects.toMatchObject({ code: "unavailable" });
    expect(backend).toMatchObject({ workers: { length: made }, closed: made });
  });

  it("says of a lock that was lost what happens to the job, and not that the worker failed", async () => {
    const warnings: string[] = [];
    const backend = new RecordingBackend();
    const { server, start } = serverOn(backend, warnings);
    await start();
    backend.workers[0]?.emit("error", new Error("could not renew lock for job a_1"));
    expect(warnings).toEqual([]);
    backend.workers[0]?.emit("error", new Error("something else"));
    await server.drain(0);

    expect(warnings).toEqual([expect.stringMatching(/The worker of the engine failed\..*something else/)]);
  });
});

describe("a job", () => {
  it("is done when its run is, and comes again when the run is handed back, each time", async () => {
    const { take, performing, ended } = await startPerforming();
    for (const back of [undefined, { againInMs: 1.5 }, undefined]) {
      const { job, names } = jobOf("r");
      take(job);
      await vi.waitFor(() => expect(performing.has("r")).toBe(true));
      performing.get("r")?.end(back);
      performing.delete("r");
      await vi.waitFor(() => expect(ended.has(job)).toBe(true));
      expect([ended.get(job), names()]).toEqual(
        back === undefined ? ["done", []] : ["DelayedError", ["moveToDelayed"]],
      );
    }
  });

  it.each([false, true])(
    "a job whose lock was lost is submitted again and not given back, beside one that goes on; the database is away: %s",
    async (fails) => {
      const { backend, take, performing, submit, ended } = await startPerforming();
      const [lost, kept] = [jobOf("lost", { fails }), jobOf("kept")];
      if (fails) submit.mockRejectedValue(new Error("The database is away."));
      take(lost.job);
      take(kept.job);
      backend.workers[0]?.emit("lockRenewalFailed", [lost.job.id]);
      await vi.waitFor(() => expect(ended.has(lost.job)).toBe(true));

      expect(ended.get(lost.job)).toBe("DelayedError");
      expect(lost.moves).toEqual([]);
      expect(submit.mock.calls).toEqual([[{ runId: "lost" }]]);
      expect(performing.get("kept")?.signal.aborted).toBe(false);
      performing.get("kept")?.end();
      await vi.waitFor(() => expect(ended.get(kept.job)).toBe("done"));
    },
  );

  it("waits while another of its run is performed, and is promoted when that one ends, as are all that wait", async () => {
    const { take, performing, ended } = await startPerforming();
    const [first, ...waiting] = [jobOf("r"), jobOf("r", { id: "second" }), jobOf("r", { id: "third" })];
    take(first.job);
    for (const { job } of waiting) {
      take(job);
      await vi.waitFor(() => expect(ended.get(job)).toBe("DelayedError"));
    }
    expect(waiting.map(({ names }) => names())).toEqual([["moveToDelayed"], ["moveToDelayed"]]);
    performing.get("r")?.end();
    await vi.waitFor(() => expect(ended.get(first.job)).toBe("done"));

    const promoted = ["moveToDelayed", "promote"];
    expect(waiting.map(({ names }) => names())).toEqual([promoted, promoted]);
  });

  it.each([false, true])(
    "a job that is performed or comes while the server is drained is given back; the database is away: %s",
    async (fails) => {
      const { server, take, submit, ended } = await startPerforming();
      const [before, after] = [jobOf("before", { fails }), jobOf("after", { fails })];
      take(before.job);
      await server.drain(0);
      take(after.job);
      await vi.waitFor(() =>
        expect([ended.get(before.job), ended.get(after.job)]).toEqual(Array(2).fill("WaitingError")),
      );

      expect(before.names()).toEqual(fails ? ["changePriority"] : ["changePriority", "moveToWait"]);
      expect(after.names()).toEqual(before.names());
      expect(submit).not.toHaveBeenCalled();
    },
  );

  it.each([60_000, 2 ** 31 - 1, 2 ** 31, Infinity])(
    "is not aborted before a grace period of %d ms is over",
    async (graceMs) => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const { server, take, performing } = await startPerforming();
      take(jobOf("r").job);
      void server.drain(graceMs);
      await vi.advanceTimersByTimeAsync(59_999);

      expect(performing.get("r")?.signal.aborted).toBe(false);
    },
  );
});

it("a server takes no jobs, and says so, while its clock is wrong, each time that it is", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { backend, server, take, ended, setSkew } = await startPerforming();
  const states: unknown[] = [];
  for (let round = 1; round <= 2; round++) {
    for (const skewMs of [60_000, 0]) {
      setSkew(skewMs);
      await vi.advanceTimersByTimeAsync(1000);
      states.push([...backend.states(), server.isClockWrong]);
      const { job } = jobOf(`r${states.length}`);
      take(job);
      await vi.advanceTimersByTimeAsync(0);
      states.push(ended.get(job));
    }
  }
  const drained = server.drain(0);
  await vi.advanceTimersByTimeAsync(0);
  await drained;

  const [paused, resumed] = [
    [true, true],
    [false, false],
  ];
  expect(states).toEqual([paused, "WaitingError", resumed, undefined, paused, "WaitingError", resumed, undefined]);
});

describe("the clock of a process", () => {
  it("is compared every minute, and within a second after it was set", async () => {
    vi.useFakeTimers();
    try {
      let skewMs = 0;
      const clock = { now: async () => Date.now(), clearFutureChecks: async () => {} };
      const guard = new ClockGuard({ clock, now: () => Date.now() + skewMs, lockMs: 3000, queues: [] });
      const found: boolean[] = [];
      await guard.check();
      const stop = guard.watch(async () => void found.push((await guard.check()) !== undefined));
      await vi.advanceTimersByTimeAsync(59_000);
      expect(found).toEqual([]);
      await vi.advanceTimersByTimeAsync(1000);
      expect(found).toEqual([false]);
      skewMs = 60_000;
      await vi.advanceTimersByTimeAsync(1000);
      expect(found).toEqual([false, true]);
      skewMs = 0;
      await vi.advanceTimersByTimeAsync(1000);
      expect(found).toEqual([false, true, false]);
      stop();
      await vi.advanceTimersByTimeAsync(120_000);

      expect(found).toHaveLength(3);
    } finally {
      vi.useRealTimers();
    }
  });
});

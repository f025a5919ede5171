import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Performing } from "./service-parts.ts";
import { sweepMs } from "./run-sweep.ts";
import { open, openTimed, start, submittedAt, sweepOf } from "./test/sweeps.ts";

beforeEach(() => void vi.useFakeTimers({ now: start }));
afterEach(() => void vi.useRealTimers());

const down = new TroupeError("storage_unavailable", "The database restarts.");

describe("the round of a sweep", () => {
  const third = sweepMs / 3;

  it.each<[who: "this process" | "none", ageMs: number, isRenewed: boolean, isSubmitted: boolean]>([
    ["none", -5000, false, false],
    ["none", third, false, false],
    ["none", sweepMs - 1, false, false],
    ["none", sweepMs, true, true],
    ["none", 10 * sweepMs, true, true],
    ["this process", 0, false, false],
    ["this process", third - 1, false, false],
    ["this process", third, true, false],
    ["this process", sweepMs, true, false],
  ])("with a run that %s performs, submitted %d ms ago: renewed %s, submitted %s", async (...row) => {
    const [who, ageMs, isRenewed, isSubmitted] = row;
    const { sweep, storage, submitted } = sweepOf(undefined, who === "none" ? ["other"] : ["run"]);
    await open(storage, "run", ageMs);
    await sweep.sweep();

    expect(await submittedAt(storage, "run")).toBe(isRenewed ? start : start - ageMs);
    expect(submitted).toEqual(isSubmitted ? ["run"] : []);
  });

  it("renews runs of this process often enough that no other one takes them up", async () => {
    const { sweep, storage, submitted } = sweepOf(undefined, ["run"]);
    const other = sweepOf(storage);
    await open(storage, "run", 0);
    sweep.start();
    for (let second = 1; second <= 120; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      await other.sweep.sweep();
    }
    sweep.stop();

    expect([submitted, other.submitted]).toEqual([[], []]);
    // This process ends.
    await vi.advanceTimersByTimeAsync(sweepMs);
    await other.sweep.sweep();
    expect(other.submitted).toEqual(["run"]);
  });

  const hour = 3_600_000;

  it("submits the run of a process that has ended, and whose clock was an hour ahead, within 40 seconds", async () => {
    const { sweep, storage, submitted } = sweepOf();
    await open(storage, "run", -hour);
    await openTimed(storage, "timed", -hour);
    sweep.start();
    await vi.advanceTimersByTimeAsync(sweepMs);
    expect(submitted).toEqual([]);
    await vi.advanceTimersByTimeAsync(third);
    sweep.stop();

    expect([submitted, await submittedAt(storage, "run")]).toEqual([["run"], Date.now()]);
    expect(await submittedAt(storage, "timed")).toBe(start + hour);
  });

  it("leaves the run of a live process whose clock is an hour ahead to that process", async () => {
    const { sweep, storage, submitted } = sweepOf();
    sweep.start();
    for (let beat = 0; beat < 12; beat++) {
      await open(storage, "run", -hour - beat);
      await vi.advanceTimersByTimeAsync(third);
    }
    expect(submitted).toEqual([]);

    await vi.advanceTimersByTimeAsync(sweepMs + third);
    sweep.stop();
    expect(submitted).toEqual(["run"]);
  });

  it("renews the runs of this process, whose clock was set back by an hour", async () => {
    const { sweep, storage, submitted } = sweepOf(undefined, ["run"]);
    await open(storage, "run", -hour);
    sweep.start();
    await vi.advanceTimersByTimeAsync(2 * third);
    sweep.stop();
    expect([submitted, await submittedAt(storage, "run")]).toEqual([[], Date.now()]);
  });

  it("takes the mark of a timed run away when it wakes the run", async () => {
    const { sweep, storage, submitted } = sweepOf();
    await openTimed(storage, "run", sweepMs);
    await sweep.sweep();
    expect(submitted).toEqual(["run"]);
    expect(await storage.get("run-open", "run")).not.toHaveProperty("isTimed");
  });

  it("notes the times of timed runs that are not due, and of no others", async () => {
    const { sweep, storage, submitted, noted } = sweepOf();
    for (const [runId, inMs] of Object.entries({ due: 0, next: 1, far: 5 * hour })) {
      await openTimed(storage, runId, sweepMs - inMs);
    }
    await open(storage, "wrong clock", -hour);
    await sweep.sweep();
    expect([submitted, noted]).toEqual([
      ["due"],
      [
        ["far", 5 * hour],
        ["next", 1],
      ],
    ]);
  });

  it("does not submit a run that begins here while it is renewed", async () => {
    const { sweep, store, storage, performing, submitted } = sweepOf();
    await open(storage, "run", sweepMs);
    const renew = store.openRuns.renew.bind(store.openRuns);
    vi.spyOn(store.openRuns, "renew").mockImplementation(async (run) => {
      performing.set(run.runId, {} as Performing);
      return await renew(run);
    });
    await sweep.sweep();

    expect([submitted, await submittedAt(storage, "run")]).toEqual([[], start]);
  });

  it("does not submit a run that another process was first to renew", async () => {
    const { sweep, store, storage, submitted } = sweepOf();
    await open(storage, "lost", sweepMs);
    await open(storage, "won", sweepMs);
    const renew = store.openRuns.renew.bind(store.openRuns);
    vi.spyOn(store.openRuns, "renew").mockImplementation(async (run) => {
      if (run.runId === "lost") await open(storage, "lost", 1);
      return await renew(run);
    });
    await sweep.sweep();

    expect(submitted).toEqual(["won"]);
  });

  it("tells the failure of one run, and goes on with the others", async () => {
    const { sweep, store, storage, submit, submitted, errors, counts, cleanUp } = sweepOf();
    for (const runId of ["a", "b", "c", "d"]) await open(storage, runId, sweepMs);
    vi.spyOn(store.openRuns, "renew").mockRejectedValueOnce(down);
    const refused = new Error("The engine is closed.");
    submit.mockRejectedValueOnce(refused);
    await sweep.sweep();

    expect(new Set(errors)).toEqual(new Set([down, refused]));
    expect(submitted).toHaveLength(2);
    expect(counts()).toEqual([["a", "b", "c", "d"]]);
    expect(cleanUp).toHaveBeenCalledTimes(1);
  });

  it("counts all open runs of all pages, due or not", async () => {
    const { sweep, storage, counts, submitted } = sweepOf();
    const runIds = Array.from({ length: 205 }, (_, index) => `run-${String(index).padStart(3, "0")}`);
    for (const [index, runId] of runIds.entries()) await open(storage, runId, index % 2 === 0 ? sweepMs : 0);
    await sweep.sweep();

    expect(counts()).toEqual([runIds]);
    expect(submitted).toEqual(runIds.filter((_, index) => index % 2 === 0));
  });

  it.each([0, 1, 2])("keeps the counts when the list cannot be read after %d pages", async (pages) => {
    const { sweep, store, storage, errors, counts, cleanUp, submitted } = sweepOf();
    await open(storage, "run", sweepMs);
    const [page = []] = await Array.fromAsync(store.openRuns.list(() => {}));
    const listing = vi.spyOn(store.openRuns, "list").mockImplementationOnce(async function* () {
      for (let read = 0; read < pages; read++) yield page;
      throw down;
    });
    await sweep.sweep();
    expect([errors, counts()]).toEqual([[down], []]);
    expect(cleanUp).toHaveBeenCalledTimes(1);

    // The next round reads it.
    await sweep.sweep();
    expect(listing).toHaveBeenCalledTimes(2);
    expect([submitted, counts()]).toEqual([["run"], [["run"]]]);
  });

  it("removes old runs, tells when it could not, and does so again in the next one", async () => {
    const { sweep, cleanUp, errors } = sweepOf();
    cleanUp.mockRejectedValueOnce(down);
    await sweep.sweep();
    await sweep.sweep();

    expect(cleanUp).toHaveBeenCalledTimes(2);
    expect(errors).toEqual([down]);
  });

  it("is not begun while another one is under way", async () => {
    const { sweep, cleanUp, storage, submitted } = sweepOf();
    const cleaning = Promise.withResolvers<void>();
    cleanUp.mockReturnValueOnce(cleaning.promise);
    const first = sweep.sweep();
    await vi.advanceTimersByTimeAsync(0);
    await open(storage, "run", sweepMs);
    await sweep.sweep();
    expect([submitted, cleanUp.mock.calls.length]).toEqual([[], 1]);

    cleaning.resolve();
    await first;
    await sweep.sweep();
    expect([submitted, cleanUp.mock.calls.length]).toEqual([["run"], 2]);
  });
});

describe("a process that takes up the runs of earlier ones", () => {
  it("submits those that are due by now and pass its test, and removes nothing", async () => {
    const { sweep, storage, submitted, cleanUp, counts, noted } = sweepOf(undefined, ["own"]);
    for (const [runId, ageMs] of Object.entries({ now: 0, old: 5, own: 5, refused: 5 }))
      await open(storage, runId, ageMs);
    await openTimed(storage, "later", sweepMs - 1);
    await openTimed(storage, "woken", sweepMs);
    await sweep.takeUp(({ runId }) => runId !== "refused");
    expect(submitted).toEqual(["now", "old", "woken"]);
    expect(await submittedAt(storage, "refused")).toBe(start - 5);
    expect(counts()).toEqual([["later", "now", "old", "own", "refused", "woken"]]);
    expect(noted).toEqual([["later", 1]]);

    await sweep.takeUp();
    expect(submitted.slice(3)).toEqual(["now", "old", "refused", "woken"]);
    expect(cleanUp).not.toHaveBeenCalled();
  });
});

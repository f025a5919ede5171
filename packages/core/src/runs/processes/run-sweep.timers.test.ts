import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { putCancel } from "../record/answers.ts";
import type { RunStorage } from "../record/run-record.ts";
import type { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import type { Performing } from "./service-parts.ts";
import { sweepMs } from "./run-sweep.ts";
import { start, sweepOf } from "./test/sweeps.ts";

beforeEach(() => void vi.useFakeTimers({ now: start }));
afterEach(() => void vi.useRealTimers());

const down = new TroupeError("storage_unavailable", "The database restarts.");

describe("the timers of a sweep", () => {
  it("are three rounds in 30 seconds alone when no other process can write to the storage", async () => {
    const { sweep, storage, cleanUp } = sweepOf(undefined, ["run"]);
    const get = vi.spyOn(storage, "get");
    const watch = vi.spyOn(storage as InMemoryStorage, "watch");
    sweep.start();
    await vi.advanceTimersByTimeAsync(sweepMs);
    expect(cleanUp).toHaveBeenCalledTimes(3);
    expect([get.mock.calls, watch.mock.calls]).toEqual([[], []]);
    expect(vi.getTimerCount()).toBe(1);

    sweep.stop();
    await vi.advanceTimersByTimeAsync(sweepMs);
    expect(cleanUp).toHaveBeenCalledTimes(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("look for cancels soon after a hint, once for many hints, and again after the next one", async () => {
    const remote = new RemoteStorage();
    const { sweep, cancelled } = sweepOf(remote.driver as RunStorage, ["run"]);
    sweep.start();
    await putCancel(remote.inner, "run", undefined);
    for (const round of [1, 2]) {
      remote.hint();
      remote.hint();
      await vi.advanceTimersByTimeAsync(49);
      remote.hint();
      expect(remote.requests).toHaveLength(round - 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(remote.requests).toHaveLength(round);
    }
    expect(cancelled).toEqual(["run", "run"]);

    remote.hint();
    sweep.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(remote.requests).toHaveLength(2);
    expect([remote.isWatched, vi.getTimerCount()]).toEqual([false, 0]);
  });

  it("do not look while a look is under way, or when this process performs nothing", async () => {
    const remote = new RemoteStorage();
    const { sweep, performing } = sweepOf(remote.driver as RunStorage);
    sweep.start();
    await vi.advanceTimersByTimeAsync(3000);
    expect(remote.requests).toEqual([]);

    performing.set("run", {} as Performing);
    const answer = Promise.withResolvers<void>();
    remote.onRequest = () => answer.promise;
    await vi.advanceTimersByTimeAsync(5000);
    remote.hint();
    await vi.advanceTimersByTimeAsync(100);
    expect(remote.requests).toEqual([1]);
    answer.resolve();
    await vi.advanceTimersByTimeAsync(1000);
    expect(remote.requests).toEqual([1, 1]);
    sweep.stop();
  });

  it("look soon after a hint, also after one that came while this process performed nothing", async () => {
    const remote = new RemoteStorage();
    const { sweep, performing, cancelled } = sweepOf(remote.driver as RunStorage);
    sweep.start();
    remote.hint();
    await vi.advanceTimersByTimeAsync(50);
    expect(remote.requests).toEqual([]);
    performing.set("run", {} as Performing);
    await putCancel(remote.inner, "run", undefined);
    remote.hint();
    await vi.advanceTimersByTimeAsync(50);
    expect(cancelled).toEqual(["run"]);
    sweep.stop();
  });

  it("look again after a look that failed", async () => {
    const remote = new RemoteStorage();
    const { sweep, cancelled, errors } = sweepOf(remote.driver as RunStorage, ["run"]);
    sweep.start();
    await putCancel(remote.inner, "run", undefined);
    remote.onRequest = () => Promise.reject(down);
    await vi.advanceTimersByTimeAsync(1000);
    expect([errors, cancelled]).toEqual([[down], []]);
    remote.onRequest = () => {};
    await vi.advanceTimersByTimeAsync(1000);
    sweep.stop();

    expect([errors, cancelled]).toEqual([[down], ["run"]]);
  });
});

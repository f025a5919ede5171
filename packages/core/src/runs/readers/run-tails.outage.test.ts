import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logKey } from "../../agents/journal/log-entry.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import { RunTail } from "./run-tail.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { beginReaders, storeRecords, tailsOver, upTo } from "./test/tail-readers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const down = new TroupeError("storage_unavailable", "The database restarts.");

/** One reader of the events of a run. */
function tailOf(storage: RemoteStorage, runId: string) {
  const tails = tailsOver(storage);
  const open = async () => ({ status: "running", attempts: 1 }) as RunRecord;
  const reader = new RunTail({ runId, after: undefined, storage: storage.driver as RunStorage, tails, open });
  return { reader, tails };
}

describe("the readers of runs of other processes, when the storage fails", () => {
  it("go on when it is back within 30 seconds [durable.outage]", async () => {
    const storage = new RemoteStorage();
    const { tails, reader } = await beginReaders(storage, ["r"]);
    storage.onRequest = () => Promise.reject(down);
    await storeRecords(storage, "r", 1);
    storage.hint();
    await vi.advanceTimersByTimeAsync(29_000);
    expect([reader.failure, reader.numbers]).toEqual([undefined, []]);
    storage.onRequest = () => {};
    await vi.advanceTimersByTimeAsync(1000);
    expect(reader.numbers).toEqual([1]);

    // Each outage has its own time.
    storage.onRequest = () => Promise.reject(down);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(reader.failure).toBe(undefined);
    tails.close();
  });

  it("end with its error after 30 seconds [durable.outage]", async () => {
    const storage = new RemoteStorage();
    const { tails, readers } = await beginReaders(storage, ["r", "other"]);
    storage.onRequest = () => Promise.reject(down);
    await vi.advanceTimersByTimeAsync(32_000);

    expect(readers.map(({ failure }) => failure)).toEqual([down, down]);
    tails.close();
  });

  it("go on also while they read what was stored before [durable.outage]", async () => {
    const storage = new RemoteStorage();
    await storeRecords(storage, "r", ...upTo(40));
    const { reader, tails } = tailOf(storage, "r");
    const ids = [(await reader.next()).value?.id];
    storage.onRequest = () => Promise.reject(down);
    const reading = (async () => {
      while (ids.length < 40) ids.push((await reader.next()).value?.id);
    })();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ids.length).toBe(32);
    storage.onRequest = () => {};
    await vi.advanceTimersByTimeAsync(1000);
    await reading;

    expect(ids).toEqual(upTo(40).map((number) => `${number}.0`));
    tails.close();
  });

  it("leave without waiting for it", async () => {
    const storage = new RemoteStorage();
    const { reader, tails } = tailOf(storage, "r");
    storage.onRequest = () => Promise.reject(down);
    const next = reader.next();
    await vi.advanceTimersByTimeAsync(700);
    await reader.return();

    expect(await next).toEqual({ done: true, value: undefined });
    tails.close();
  });

  it("end at once when their own log is damaged, and no others do", async () => {
    const storage = new RemoteStorage();
    const { tails, readers } = await beginReaders(storage, ["damaged", "whole"]);
    const corrupt = new TroupeError("storage_corrupt", "A stored record cannot be read.");
    vi.spyOn(storage.inner, "listMany").mockRejectedValueOnce(corrupt);
    await storeRecords(storage, "whole", 1);
    await storage.inner.set("run-log", logKey("damaged", 1), { damaged: true });
    storage.hint();
    await vi.advanceTimersByTimeAsync(50);
    expect(readers.map(({ failure }) => failure)).toEqual([
      expect.objectContaining({ code: "storage_corrupt" }),
      undefined,
    ]);

    await storeRecords(storage, "whole", 2);
    storage.hint();
    await vi.advanceTimersByTimeAsync(50);
    expect(readers[1]?.numbers).toEqual([1, 2]);
    tails.close();
  });
});

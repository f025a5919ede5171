import { afterEach, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logKey } from "../../agents/journal/log-entry.ts";
import { LogWriter } from "../../agents/journal/log-writer.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { RunTails } from "./run-tails.ts";

afterEach(() => void vi.useRealTimers());

function tailsOver(storage: StorageDriver): RunTails {
  const writer = new LogWriter(storage);
  return new RunTails({ storage, writer, isPerformedHere: () => false, checkQuiet: async () => {} });
}

async function store({ inner }: RemoteStorage, number: number): Promise<void> {
  const value = { v: 1, entries: [{ t: "chunks", step: "", chunks: [{ type: "text", text: "ä" }] }] };
  await inner.set("run-log", logKey("r", number), value);
}

it("a feed that has failed takes nothing from the next one of its run when its last reader leaves it late", () => {
  const tails = tailsOver(new InMemoryStorage());
  const failed = tails.join("r");
  tails.fail("r", new TroupeError("storage_unavailable", "The database restarts."));
  const next = tails.join("r");
  tails.leave(failed);

  expect(next).not.toBe(failed);
  expect(tails.join("r")).toBe(next);
  for (const _ of [1, 2]) tails.leave(next);
  expect(tails.join("r")).not.toBe(next);
});

it("a reader that was busy gets soon what was stored behind a look, of which a hint came while the look was under way", async () => {
  vi.useFakeTimers();
  const storage = new RemoteStorage();
  const tails = tailsOver(storage.driver);
  const feed = tails.join("r");
  const woken = vi.fn<() => void>();
  const answer = Promise.withResolvers<void>();
  const listMany = storage.inner.listMany.bind(storage.inner);
  const slow = vi.spyOn(storage.inner, "listMany").mockImplementation(async (listings) => {
    const pages = await listMany(listings);
    await answer.promise;
    return pages;
  });
  await store(storage, 1);
  void tails.wait(feed, 0, () => {}).then(woken);
  await vi.advanceTimersByTimeAsync(100);
  expect(slow).toHaveBeenCalledOnce();
  await store(storage, 2);
  storage.hint();
  await vi.advanceTimersByTimeAsync(10);
  answer.resolve();
  await vi.advanceTimersByTimeAsync(1500);
  expect([feed.last, woken.mock.calls.length]).toEqual([1, 1]);
  void tails.wait(feed, 1, () => {}).then(woken);
  await vi.advanceTimersByTimeAsync(40);

  expect([feed.last, woken.mock.calls.length]).toEqual([2, 2]);
  tails.close();
});

it("a look that hung for a minute is followed by a pause of a second at most", async () => {
  vi.useFakeTimers();
  const storage = new RemoteStorage();
  const tails = tailsOver(storage.driver);
  const feed = tails.join("r");
  storage.onRequest = async () => await new Promise((resolve) => setTimeout(resolve, 60_000));
  const woken = vi.fn<() => void>();
  void tails.wait(feed, 0, () => {}).then(woken);
  await vi.advanceTimersByTimeAsync(60_100);
  expect(storage.requests).toHaveLength(1);
  storage.onRequest = () => {};
  await store(storage, 1);
  storage.hint();
  await vi.advanceTimersByTimeAsync(1000);

  expect(woken).toHaveBeenCalledOnce();
  tails.close();
});

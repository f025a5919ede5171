import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { logKey } from "../../agents/journal/log-entry.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunEvent } from "../record/run-view.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import type { RunTail } from "./run-tail.ts";
import { attempt, down, end, readAll, store, tailOf, whole } from "./test/tails.ts";
import type { Given } from "./test/tails.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a reader that leaves", () => {
  /** A reader whose next event is asked for when it leaves. */
  type Scene = {
    storage: RemoteStorage;
    given?: Given;
    before?: (tail: RunTail) => Promise<unknown>;
    goOn: () => void;
  };

  const scenes: [when: string, create: () => Scene][] = [
    [
      "while its record is read",
      () => {
        const record = Promise.withResolvers<RunRecord>();
        const goOn = () => record.resolve({ status: "running", attempts: 1 } as RunRecord);
        return { storage: new RemoteStorage(), given: { open: () => record.promise }, goOn };
      },
    ],
    [
      "while its backlog is read",
      () => {
        const read = Promise.withResolvers<void>();
        const storage = new RemoteStorage();
        storage.onRequest = () => read.promise;
        return { storage, given: { record: { attempts: 2 } }, goOn: read.resolve };
      },
    ],
    [
      "while the log is read",
      () => {
        const read = Promise.withResolvers<void>();
        const storage = new RemoteStorage();
        storage.onRequest = () => read.promise;
        return { storage, goOn: read.resolve };
      },
    ],
    [
      "while events are read",
      () => {
        const read = Promise.withResolvers<void>();
        const storage = new RemoteStorage();
        storage.onRequest = async () => {
          await read.promise;
          await store(storage, 1, ...whole);
        };
        return { storage, goOn: read.resolve };
      },
    ],
    [
      "while the log is read behind an event",
      () => {
        const read = Promise.withResolvers<void>();
        const storage = new RemoteStorage();
        const before = async (tail: RunTail) => {
          await store(storage, 1, [attempt]);
          await tail.next();
          storage.onRequest = () => read.promise;
        };
        return { storage, before, goOn: read.resolve };
      },
    ],
    ["while it waits for the next event", () => ({ storage: new RemoteStorage(), goOn: () => {} })],
    [
      "while the storage is away",
      () => {
        const storage = new RemoteStorage();
        storage.onRequest = () => Promise.reject(down);
        return { storage, goOn: () => {} };
      },
    ],
  ];

  it.each(scenes)("%s does so at once, keeps nothing, and ends the call that waits", async (_when, create) => {
    const { storage, given, before, goOn } = create();
    const tail = tailOf(storage, given);
    await before?.(tail);
    const next = tail.next();
    await vi.advanceTimersByTimeAsync(10);
    const left = vi.fn<(step: unknown) => void>();
    void tail.return().then(left);
    goOn();
    await vi.advanceTimersByTimeAsync(0);

    expect(left).toHaveBeenCalledExactlyOnceWith({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await tail.next()).toEqual({ done: true, value: undefined });
    await vi.advanceTimersByTimeAsync(100);
    expect([storage.isWatched, vi.getTimerCount()]).toEqual([false, 0]);
  });

  it("a reader that leaves between two events of a record gets no more events of the record", async () => {
    const storage = new RemoteStorage();
    await store(storage, 1, ...whole);
    const tail = tailOf(storage);
    const first = (await tail.next()).value as RunEvent;
    await tail.return();

    expect(first.id).toBe("1.0");
    expect(await tail.next()).toEqual({ done: true, value: undefined });
  });

  it("a reader that leaves before it has asked for an event reads nothing", async () => {
    const storage = new RemoteStorage();
    const open = vi.fn<() => Promise<RunRecord>>();
    const tail = tailOf(storage, { open });
    await tail.return();

    expect(await tail.next()).toEqual({ done: true, value: undefined });
    expect([open.mock.calls, storage.requests]).toEqual([[], []]);
  });
});

describe("a reader of a storage that is away", () => {
  it.each([
    ["goes on with the same event", 29_000, ["1.0", "1.1"]],
    ["ends with the error after 30 seconds", 31_000, ["storage_unavailable"]],
  ])("%s", async (_what, awayMs, read) => {
    const storage = new RemoteStorage();
    await store(storage, 1, [attempt, end]);
    storage.onRequest = () => Promise.reject(down);
    const reading = readAll(tailOf(storage));
    await vi.advanceTimersByTimeAsync(awayMs);
    storage.onRequest = () => {};
    await vi.advanceTimersByTimeAsync(1000);

    expect(await reading).toEqual(read);
  });

  it("ends at once with another error", async () => {
    const storage = new RemoteStorage();
    await storage.inner.set("run-log", logKey("r", 1), { v: 1 });
    expect(await readAll(tailOf(storage))).toEqual(["storage_corrupt"]);
  });
});

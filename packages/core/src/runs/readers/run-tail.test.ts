import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { attempt, chunks, end, ids, readAll, store, tailOf, whole } from "./test/tails.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a reader of a run that is over", () => {
  it.each([undefined, ...ids])("gets all events behind the position %s", async (after) => {
    const storage = new RemoteStorage();
    await store(storage, 1, ...whole);
    const behind = after === undefined ? ids : ids.slice(ids.indexOf(after) + 1);

    for (const isBounded of [false, true]) {
      expect(await readAll(tailOf(storage, { after, isBounded, record: { status: "completed" } }))).toEqual(behind);
    }
    expect([storage.isWatched, vi.getTimerCount()]).toEqual([false, 0]);
  });

  it.each([
    ["5.0", "behind the log"],
    ["9.3", "far behind the log"],
  ])("is told that the position %s, %s, has no events", async (after) => {
    const storage = new RemoteStorage();
    await store(storage, 1, ...whole);

    expect(await readAll(tailOf(storage, { after, record: { status: "completed" } }))).toEqual(["gone"]);
  });

  it.each(["completed", "error", "cancelled"] as const)(
    "a reader of a run that is over with status %s is told that a removed log is gone",
    async (status) => {
      expect(await readAll(tailOf(new RemoteStorage(), { record: { status } }))).toEqual(["gone"]);
    },
  );

  it("is told of a damaged log that was removed", async () => {
    const error = { code: "storage_corrupt", message: "The log cannot be read." } as const;
    const tail = tailOf(new RemoteStorage(), { record: { status: "error", error } });
    await expect(tail.next()).rejects.toMatchObject(error);
  });

  it("stays at its end, however often it asks", async () => {
    const storage = new RemoteStorage();
    await store(storage, 1, [end]);
    const tail = tailOf(storage);
    const [first, ...others] = await Promise.all([tail.next(), tail.next(), tail.next()]);
    expect(first?.value?.id).toBe("1.0");
    const over = { done: true, value: undefined };
    expect([...others, await tail.next(), await tail.return(), await tail.next()]).toEqual([
      over,
      over,
      over,
      over,
      over,
    ]);
  });
});

describe("a reader of a run whose older chunks were dropped", () => {
  // Of the second record there were four events, 2.0 to 2.3.
  const cut = [[attempt], 4, [chunks(1)], [end]] satisfies (LogEntry[] | number)[];

  it.each<[after: string | undefined, read: string[]]>([
    [undefined, ["1.0", "gone"]],
    ["1.0", ["gone"]],
    ["2.0", ["gone"]],
    ["2.2", ["gone"]],
    ["2.3", ["3.0", "4.0"]],
    ["3.0", ["4.0"]],
    ["4.0", []],
  ])("behind %s gets %j", async (after, read) => {
    const storage = new RemoteStorage();
    await store(storage, 1, ...cut);
    expect(await readAll(tailOf(storage, { after }))).toEqual(read);
  });

  it("misses those of the next record also when it has seen all of one that was cut", async () => {
    const storage = new RemoteStorage();
    await store(storage, 1, 1, 2, [end]);
    expect(await readAll(tailOf(storage, { after: "1.0" }))).toEqual(["gone"]);
    expect(await readAll(tailOf(storage, { after: "2.1" }))).toEqual(["3.0"]);
  });
});

describe("a reader of a run that goes on", () => {
  it("gets what was stored meanwhile, and waits for more", async () => {
    const storage = new RemoteStorage();
    await store(storage, 1, [attempt]);
    const tail = tailOf(storage);
    const read: string[] = [];
    const reading = (async () => {
      for await (const { id } of tail) read.push(id);
    })();
    await vi.advanceTimersByTimeAsync(100);
    expect(read).toEqual(["1.0"]);

    await store(storage, 2, [chunks(1)], []);
    storage.hint();
    await vi.advanceTimersByTimeAsync(2000);
    expect(read).toEqual(["1.0", "2.0"]);
    await store(storage, 4, [chunks(1), end]);
    storage.hint();
    await vi.advanceTimersByTimeAsync(100);
    await reading;
    expect(read).toEqual(["1.0", "2.0", "4.0", "4.1"]);
  });

  it.each(["1.0", "2.0", "9.0"])("is told that the position %s is not in its log", async (after) => {
    const storage = new RemoteStorage();
    if (after !== "1.0") await store(storage, 1, [attempt]);
    expect(await readAll(tailOf(storage, { after }))).toEqual(["gone"]);
  });

  it("leaves behind the last event that is stored when it is bounded", async () => {
    const storage = new RemoteStorage();
    expect(await readAll(tailOf(storage, { isBounded: true }))).toEqual([]);
    await store(storage, 1, [attempt, chunks(1)], [chunks(1)]);
    expect(await readAll(tailOf(storage, { isBounded: true }))).toEqual(["1.0", "1.1", "2.0"]);
    expect(await readAll(tailOf(storage, { isBounded: true, after: "2.0" }))).toEqual([]);
    expect([storage.isWatched, vi.getTimerCount()]).toEqual([false, 0]);
  });

  it("gives calls that are made at once their events in order, each to one", async () => {
    const storage = new RemoteStorage();
    await store(storage, 1, ...whole);
    const tail = tailOf(storage);
    const steps = await Promise.all(Array.from({ length: 9 }, async () => await tail.next()));
    expect(steps.map(({ value }) => value?.id)).toEqual([...ids, undefined, undefined]);
  });

  it("gives a call that comes later no event of one that waits", async () => {
    const storage = new RemoteStorage();
    await store(storage, 1, ...whole);
    const tail = tailOf(storage);
    const [first, second] = [tail.next(), tail.next()];
    await first;
    const third = tail.next();
    const steps = await Promise.all([first, second, third]);
    expect(steps.map(({ value }) => value?.id)).toEqual(ids.slice(0, 3));
  });

  it("is told once to drop chunks that several later attempts have made void", async () => {
    const storage = new RemoteStorage();
    const next = { ...attempt, void: ["s"] };
    await store(storage, 1, [attempt, chunks(1, "s")], [next], [next, end]);
    const record = { attempts: 3 };

    expect(await readAll(tailOf(storage, { record, after: "1.1" }))).toEqual(["2.0", "2.1", "3.0", "3.2"]);
    expect(await readAll(tailOf(storage, { record, after: "2.1" }))).toEqual(["3.0", "3.2"]);
  });

  it("is not given the chunks that a later attempt has made void, and resets of what it has seen alone", async () => {
    const storage = new RemoteStorage();
    const second: LogEntry = { ...attempt, n: 2, void: ["s", "t"] };
    await store(storage, 1, [attempt, chunks(2, "s"), chunks(1, "kept")], [second, chunks(1, "s"), end]);
    const record = { attempts: 2 };

    // Without a position: no void chunk, and no reset.
    expect(await readAll(tailOf(storage, { record }))).toEqual(["1.0", "1.3", "2.0", "2.3", "2.4"]);
    // Behind the first void chunk: not the second one, and the reset of that step.
    expect(await readAll(tailOf(storage, { record, after: "1.1" }))).toEqual(["1.3", "2.0", "2.1", "2.3", "2.4"]);
    expect(await readAll(tailOf(storage, { record, after: "2.1" }))).toEqual(["2.3", "2.4"]);
  });

  it("passes the refusal of its record on, and is over then", async () => {
    const refused = new TroupeError("not_found", "There is no such run.");
    const tail = tailOf(new RemoteStorage(), { open: () => Promise.reject(refused) });
    await expect(tail.next()).rejects.toBe(refused);
    expect(await tail.next()).toEqual({ done: true, value: undefined });
  });

  it.each(["", "0.1", "01.1", "1", "1.", ".1", "1.-1", "1.1 ", "1e3.1", "1234567890123.0", "1.1234567890"])(
    "refuses %j as its position",
    (after) => {
      const refusal = expect.objectContaining({ code: "invalid_request" });
      expect(() => tailOf(new RemoteStorage(), { after })).toThrow(refusal);
    },
  );
});

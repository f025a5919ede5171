import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import { logKey } from "../journal/log-entry.ts";
import type { LogEntry } from "../journal/log-entry.ts";
import { LogWriter } from "../journal/log-writer.ts";
import type { RunRecord, RunStorage } from "../run-store/run-record.ts";
import type { RunEvent } from "../run-store/run-view.ts";
import { RemoteStorage } from "../storage/test/remote-storage.ts";
import { RunTail } from "./run-tail.ts";
import { RunTails } from "./run-tails.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const down = new TroupeError("storage_unavailable", "The database restarts.");

const attempt: LogEntry = { t: "attempt", n: 1, id: "i", node: "n", print: "" };
const end: LogEntry = { t: "end", output: null };
const chunks = (count: number, step = ""): LogEntry => {
  return { t: "chunks", step, chunks: Array.from({ length: count }, () => ({ type: "text" })) };
};

/** Stores the next records of the run, as another process does; a record with a number was cut there. */
async function store({ inner }: RemoteStorage, first: number, ...records: (LogEntry[] | number)[]): Promise<void> {
  for (const [index, record] of records.entries()) {
    const isCut = typeof record === "number";
    const value = isCut ? { v: 1, entries: [], cutFrom: record } : { v: 1, entries: record };
    await inner.set("run-log", logKey("r", first + index), value as never);
  }
}

type Given = {
  after?: string | undefined;
  isBounded?: boolean;
  record?: Partial<RunRecord>;
  open?: () => Promise<RunRecord>;
};

function tailOf(storage: RemoteStorage, { after, isBounded = false, record, open }: Given = {}) {
  const driver = storage.driver as RunStorage;
  const init = { storage: driver, writer: new LogWriter(driver), isPerformedHere: () => false };
  const tails = new RunTails({ ...init, checkQuiet: async () => {} });
  const opened = { status: "running", attempts: 1, ...record } as RunRecord;
  return new RunTail({ runId: "r", after, storage: driver, tails, open: open ?? (async () => opened), isBounded });
}

/** Reads a tail to its end: the ids of its events, and the code of the error. */
async function readAll(tail: RunTail): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const { id } of tail) ids.push(id);
  } catch (error) {
    ids.push((error as TroupeError).code);
  }
  return ids;
}

/** The events of a run that is over: 1.0 to 1.2, 2.0 and 2.1, none in 3, 4.0 and the end as 4.1. */
const whole = [[attempt, chunks(2)], [chunks(1, "s"), chunks(1)], [], [chunks(1), end]] satisfies LogEntry[][];
const ids = ["1.0", "1.1", "1.2", "2.0", "2.1", "4.0", "4.1"];

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
    "with status %s is told that a removed log is gone",
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
    expect([...others, await tail.next(), await tail.return(), await tail.next()]).toEqual(Array(5).fill(over));
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

describe("a reader that leaves", () => {
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

  it("between two events of a record gets no more of them", async () => {
    const storage = new RemoteStorage();
    await store(storage, 1, ...whole);
    const tail = tailOf(storage);
    const first = (await tail.next()).value as RunEvent;
    await tail.return();

    expect(first.id).toBe("1.0");
    expect(await tail.next()).toEqual({ done: true, value: undefined });
  });

  it("before it has asked for an event reads nothing", async () => {
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

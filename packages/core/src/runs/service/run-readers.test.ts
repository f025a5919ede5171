import { describe, expect, it, vi } from "vitest";
import { LogWriter } from "../../agents/journal/log-writer.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import { logKey } from "../../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { RunTails } from "../readers/run-tails.ts";
import { runnableOf } from "./test/asking-runnable.ts";
import {
  fakeClock,
  makeService,
  readEvents,
  request,
  scriptedAgent,
  serveRuns,
  soon,
  textOf,
  untilStatus,
} from "./test/services.ts";
import type { RunEvent } from "../record/run-view.ts";

/** A storage that counts its reads of logs. */
function counting(): { storage: StorageDriver; reads: () => number } {
  let count = 0;
  const storage = new InMemoryStorage();
  const list: StorageDriver["list"] = async (namespace, ...rest) => {
    if (namespace === "run-log") count += 1;
    return await InMemoryStorage.prototype.list.call(storage, namespace, ...rest);
  };
  const listMany: StorageDriver["listMany"] = async (listings) => {
    if (listings.some(({ namespace }) => namespace === "run-log")) count += 1;
    return await InMemoryStorage.prototype.listMany.call(storage, listings);
  };
  return { storage: Object.assign(storage, { list, listMany }), reads: () => count };
}

/** A runnable that yields texts when it is told to. */
function told() {
  let go = Promise.withResolvers<string | undefined>();
  const runnable = runnableOf(async function* () {
    for (let text = await go.promise; text !== undefined; text = await go.promise) {
      go = Promise.withResolvers();
      yield { type: "text", text };
    }
    return "done";
  });
  return { runnable, tell: (text: string | undefined) => go.resolve(text) };
}

describe("the readers of a run", () => {
  it("share one read, a thousand of them, and make no read while its process performs it [durable.one-read]", async () => {
    const { storage, reads } = counting();
    const { runnable, tell } = told();
    const service = await serveRuns({ agents: { a: runnable }, storage });
    const { runId } = await service.accept(request);
    await untilStatus(service, runId, "running");
    const before = reads();
    const readers = Array.from({ length: 1000 }, () => service.events(runId, "host"));
    const first = await Promise.all(readers.map(async (reader) => await reader.next()));
    const opened = reads() - before;
    for (let text = 0; text < 20; text++) {
      tell(`${text} `);
      await Promise.all(readers.map(async (reader) => await reader.next()));
    }
    tell(undefined);
    const last = await Promise.all(readers.map(async (reader) => await lastOf(reader)));

    expect(first.every(({ value }) => value?.type === "attempt")).toBe(true);
    expect(last.every((event) => event?.type === "end")).toBe(true);
    // The backlog, and a look behind it.
    expect(opened).toBeLessThanOrEqual(2);
    expect(reads() - before).toBeLessThanOrEqual(opened + 1);
  });

  it("read nothing either while their process performs a thousand runs [durable.one-read]", async () => {
    const { storage, reads } = counting();
    const agent = runnableOf(async function* () {
      for (let text = 0; text < 3; text++) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        yield { type: "text", text: `${text} ` };
      }
      return "done";
    });
    fakeClock();
    const service = makeService({ agents: { a: agent }, storage });
    const runs = await soon(Promise.all(Array.from({ length: 1000 }, async () => await service.accept(request))));
    await soon(service.serve({ concurrency: 1000 }));
    const texts = await soon(Promise.all(runs.map(async ({ runId }) => textOf(await readEvents(service, runId)))));

    expect(new Set(texts)).toEqual(new Set(["0 1 2 "]));
    // Each attempt reads the log once, and each reader its backlog.
    expect(reads()).toBeLessThanOrEqual(3 * runs.length);
  });

  it("get all events, however slowly they read [durable.events]", async () => {
    const { runnable, tell } = told();
    const service = await serveRuns({ agents: { a: runnable }, storage: new InMemoryStorage() });
    const { runId } = await service.accept(request);
    const slow = service.events(runId, "host");
    const quick = service.events(runId, "host");
    await slow.next();
    await quick.next();
    for (let text = 0; text < 20; text++) {
      tell(`${text} `);
      await quick.next();
    }
    tell(undefined);
    const rest: RunEvent[] = await Array.fromAsync(slow);

    expect(textOf(rest)).toBe(Array.from({ length: 20 }, (_, text) => `${text} `).join(""));
    expect(rest.at(-1)?.type).toBe("end");
    await Array.fromAsync(quick);
  });

  it("may leave while they wait, and the run goes on", async () => {
    const { runnable, tell } = told();
    const service = await serveRuns({ agents: { a: runnable }, storage: new InMemoryStorage() });
    const { runId } = await service.accept(request);
    const reader = service.events(runId, "host");
    await reader.next();
    const waiting = reader.next();
    await reader.return?.();

    expect(await waiting).toEqual({ done: true, value: undefined });
    tell(undefined);
    await untilStatus(service, runId, "completed");
  });
});

describe("RunTails", () => {
  it("keep the readers that came after a failure when one leaves that it ended [durable.events]", async () => {
    const storage = new InMemoryStorage();
    const writer = new LogWriter(storage);
    const checkQuiet = () => Promise.resolve();
    const tails = new RunTails({ storage, writer, isPerformedHere: () => true, checkQuiet });
    const before = tails.join("r");
    tails.fail("r", new Error("The storage failed."));
    const after = tails.join("r");
    tails.leave(before);
    const waiting = tails.wait(after, 0, () => undefined);
    const log = writer.open("r", 1);
    log.add({ t: "end", output: null }, true);
    await waiting;

    expect(await after.read(0)).toHaveLength(1);
    await expect(before.read(0)).rejects.toThrow("The storage failed.");
    tails.close();
  });
});

describe("the events of a run with several attempts", () => {
  const entries: LogEntry[][] = [
    [{ t: "attempt", n: 1, id: "x", node: "n", print: "" }],
    [
      {
        t: "chunks",
        step: "m/0",
        chunks: [
          { type: "text", text: "half" },
          { type: "text", text: " a" },
        ],
      },
    ] as never,
    [{ t: "attempt", n: 2, id: "y", node: "n", print: "", void: ["m/0"] }],
    [
      { t: "chunks", step: "m/0", chunks: [{ type: "text", text: "whole" }] },
      { t: "end", output: null },
    ] as never,
  ];

  async function logged() {
    const storage = new InMemoryStorage();
    const service = makeService({ agents: { a: scriptedAgent([]) }, storage });
    const { runId } = await service.accept(request);
    for (const [index, each] of entries.entries()) {
      await storage.set("run-log", logKey(runId, index + 1), { v: 1, entries: each } as never);
    }
    const record = (await storage.get("runs", runId)) as Record<string, never>;
    await storage.set("runs", runId, { ...record, attempts: 2, status: "running" });
    return { service, runId };
  }

  it("leave out what the second made void, for a reader who comes later [durable.void-chunks]", async () => {
    const { service, runId } = await logged();
    const events = await readEvents(service, runId);

    expect(textOf(events)).toBe("whole");
    expect(events.map(({ type }) => type)).toEqual(["attempt", "attempt", "chunk", "end"]);
  });

  it("tell a reader who has seen void chunks so [durable.void-chunks]", async () => {
    const { service, runId } = await logged();
    const events = await readEvents(service, runId, "2.0");

    expect(events.map(({ id, type }) => `${id} ${type}`)).toEqual(["3.0 attempt", "3.1 reset", "4.0 chunk", "4.1 end"]);
  });

  it.each(["x", "1", "0.0", "1.-1", "999999999999999.1"])("refuse the position %j", async (after) => {
    const { service, runId } = await logged();
    expect(() => service.events(runId, "host", after)).toThrow(/must be the id of an event/);
  });

  it("are gone from a position on that the log does not have", async () => {
    const { service, runId } = await logged();
    await expect(readEvents(service, runId, "9.0")).rejects.toMatchObject({ code: "gone" });
  });
});

describe("a log that another process writes", () => {
  it("is read with one look for all readers of a run [durable.one-read]", async () => {
    const { storage, reads } = counting();
    // A driver that is not in memory, for all that the service knows.
    const remote = new Proxy(storage, {
      getPrototypeOf: () => Object.prototype,
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    fakeClock();
    const service = makeService({ agents: { a: scriptedAgent([]) }, storage: remote });
    const { runId } = await soon(service.accept(request));
    const readers = Array.from({ length: 200 }, () => service.events(runId, "host"));
    const texts = readers.map(async (reader) => textOf(await Array.fromAsync(reader)));
    const log = new LogWriter(storage).open(runId, 1);
    await vi.advanceTimersByTimeAsync(20);
    const before = reads();
    for (let text = 0; text < 5; text++) {
      log.add({ t: "chunks", step: "", chunks: [{ type: "text", text: `${text} ` } as never] }, true);
      await soon(log.stored());
      await vi.advanceTimersByTimeAsync(60);
    }
    log.add({ t: "end", output: null }, true);

    expect(new Set(await soon(Promise.all(texts)))).toEqual(new Set(["0 1 2 3 4 "]));
    expect(reads() - before).toBeLessThan(30);
  });
});

async function lastOf(reader: AsyncIterableIterator<RunEvent, undefined>): Promise<RunEvent | undefined> {
  return (await Array.fromAsync(reader)).at(-1);
}

it("readers of a run that wait are woken by a record that another reader was the first to find", async () => {
  const storage = new InMemoryStorage();
  const writer = new LogWriter(storage);
  const tails = new RunTails({ storage, writer, isPerformedHere: () => true, checkQuiet: async () => {} });
  const feed = tails.join("r");
  const entries: LogEntry[] = [{ t: "chunks", step: "", chunks: [{ type: "text" }] }];
  for (let number = 1; number <= 20; number++) feed.push({ number, record: { v: 1, entries } });
  for (let number = 1; number <= 21; number++) {
    await storage.set("run-log", logKey("r", number), { v: 1, entries } as unknown as Json);
  }
  let isWoken = false;
  void tails.wait(feed, 20, () => {}).then(() => (isWoken = true));

  expect((await feed.read(0)).at(-1)?.number).toBe(21);
  feed.push({ number: 21, record: { v: 1, entries } });
  await new Promise(setImmediate);

  expect(isWoken).toBe(true);
  tails.close();
});

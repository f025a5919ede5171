import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logKey } from "../../agents/journal/log-entry.ts";
import { LogWriter } from "../../agents/journal/log-writer.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Listing, StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { RunTails } from "./run-tails.ts";
import type { RunFeed } from "./run-feed.ts";

it.each([
  ["hints of the driver", true],
  ["polling alone", false],
])(
  "after quiet, each reader of a run has every record that another process has written, whenever it was written, with %s [async.wake-ups]",
  async (_how, hasHints) => {
    await checkInterleavings((held) => readRuns(held, hasHints), {
      seed: hasHints ? 38_602 : 38_603,
      numRuns: 50,
      stepMs: 30,
      quietMs: 3000,
    });
  },
);

it("a storage that is away for a moment now and then ends no reader of a run, however often that was [async.wake-ups]", async () => {
  const create = (held: HeldCalls): Scene => readRuns(held, false, 4);
  await checkInterleavings(create, { seed: 38_604, numRuns: 5, stepMs: 30, quietMs: 60_000 });
});

const value = { v: 1, entries: [{ t: "chunks", step: "", chunks: [{ type: "text", text: "a" }] }] };

/** A reader of a run: the records that it has, and how it ended. */
type Reader = { readonly feed: RunFeed; last: number; isOver: boolean; hasFailed: boolean; leave: () => void };

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function readRuns(held: HeldCalls, hasHints: boolean, outages = 0): Scene {
  /** The runs whose log could not be read the last time. */
  const failing = new Set<string>();
  let answers = 0;
  let isAway = false;
  const answer = async <Found>(
    listings: readonly { prefix?: string }[],
    find: () => Promise<Found>,
  ): Promise<Found> => {
    // What is found was there when the request began, or is there when it ends.
    const early = (answers += 1) % 2 === 0 ? await find() : undefined;
    try {
      await held.hold("a look", () => undefined);
      if (isAway) throw new Error("away");
    } catch {
      for (const { prefix = "" } of listings) failing.add(prefix);
      throw new TroupeError("storage_unavailable", "The database restarts.");
    }
    for (const { prefix = "" } of listings) failing.delete(prefix);
    return early ?? (await find());
  };
  const inner = new InMemoryStorage();
  const list: StorageDriver["list"] = async (namespace, prefix, options) =>
    await answer([prefix === undefined ? {} : { prefix }], async () => await inner.list(namespace, prefix, options));
  const listMany = async (listings: readonly Listing[]) =>
    await answer(listings, async () => await inner.listMany(listings));
  const remote = new RemoteStorage({ list, listMany, ...(!hasHints && { watch: undefined }) }, inner);
  const performed = new Set<string>();
  const writer = new LogWriter(remote.driver);
  const isPerformedHere = (runId: string): boolean => performed.has(runId);
  const tails = new RunTails({ storage: remote.driver, writer, isPerformedHere, checkQuiet: async () => undefined });
  const written = new Map<string, number>([
    ["a", 0],
    ["b", 0],
  ]);
  const readers: Reader[] = [];
  const write = async (runId: string): Promise<void> => {
    const number = (written.get(runId) ?? 0) + 1;
    written.set(runId, number);
    await remote.inner.set("run-log", logKey(runId, number), value);
    remote.hint();
  };
  const read = async (runId: string): Promise<void> => {
    const reader: Reader = {
      feed: tails.join(runId),
      last: 0,
      isOver: false,
      hasFailed: false,
      leave: () => undefined,
    };
    readers.push(reader);
    while (!reader.isOver) await readOnce(reader);
    tails.leave(reader.feed);
  };
  const readOnce = async (reader: Reader): Promise<void> => {
    const pages = await reader.feed.read(reader.last).catch((error: unknown) => {
      if (!reader.feed.noteFailure(error)) reader.isOver = reader.hasFailed = true;
      held.check(!reader.hasFailed, "a reader fails of a storage that comes back");
      return [];
    });
    for (const { number } of pages) {
      held.check(number === reader.last + 1, "a reader misses a record, or gets it twice");
      reader.last = number;
    }
    if (pages.length > 0 || reader.isOver) return;
    await tails.wait(reader.feed, reader.last, (leave) => (reader.leave = leave));
  };
  const leave = (reader: Reader | undefined): void => {
    if (reader === undefined) return;
    reader.isOver = true;
    reader.leave();
  };
  return {
    operations: {
      "a record of a": async () => await write("a"),
      "a record of b": async () => await write("b"),
      "another reader of a": async () => await read("a"),
      "a reader of a": async () => await read("a"),
      "a reader of b": async () => await read("b"),
      "a reader leaves": () => leave(readers.find(({ isOver }) => !isOver)),
      // Longer than a storage may be away, with the time before.
      "20 s pass": async () => (failing.size > 0 ? undefined : await vi.advanceTimersByTimeAsync(20_000)),
      "a is performed here": () => void performed.add("a"),
      "a is handed over": () => {
        performed.delete("a");
        tails.handOver("a");
      },
    },
    end: async () => {
      performed.clear();
      tails.handOver("a");
      await wait(2500);
      for (let outage = 0; outage < outages; outage++) {
        isAway = true;
        await wait(2000);
        isAway = false;
        await wait(10_000);
      }
      for (const reader of readers.filter(({ isOver }) => !isOver)) {
        held.check(reader.last === written.get(reader.feed.runId), "a reader waits for what has been written");
        leave(reader);
      }
    },
    afterwards: () => {
      expect(remote.isWatched).toBe(false);
      tails.close();
    },
  };
}

import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { Listing, Write } from "../../sessions/storage/storage-driver.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { groupKeys } from "./run-keys.ts";
import type { EndStatus, RunStorage } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import { idsOf, newRecord, pageOf } from "./test/run-records.ts";

const ada = { userId: "ada" };
const bob = { userId: "bob" };
const ends: readonly EndStatus[] = ["completed", "error", "cancelled"];

/** Stores runs of ada, one a millisecond: ended ones, and some open ones among the newest. Returns their ids. */
async function seed(storage: InMemoryStorage, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `r${String(index).padStart(6, "0")}`);
  const writes = ids.flatMap((runId, index): Write[] => {
    const status = endOf(count, index);
    const record = newRecord({ runId, createdAt: index, ...(status !== undefined && { status }) });
    const [key = ""] = groupKeys(record, [status ?? "open"]);
    return [
      { namespace: "run-by", key, value: { v: 1 } },
      { namespace: "runs", key: runId, value: record as unknown as Json },
    ];
  });
  await storage.transaction(writes);
  return ids;
}

function endOf(count: number, index: number): EndStatus | undefined {
  const age = count - 1 - index;
  return age <= 35 && age % 7 === 0 ? undefined : ends[index % 3];
}

/** A storage that counts what is read from it: requests, and the entries and records of their answers. */
function counting() {
  const storage = new InMemoryStorage();
  const reads = { requests: 0, entries: 0 };
  const count = <Answer>(answer: Answer, entries: number): Answer => {
    reads.requests += 1;
    reads.entries += entries;
    return answer;
  };
  const { driver } = new RemoteStorage(
    {
      get: async (namespace, key) => count(await storage.get(namespace, key), 1),
      list: async (...args) => {
        const listed = await storage.list(...args);
        return count(listed, listed.length);
      },
      listMany: async (listings: readonly Listing[]) => {
        const listed = await storage.listMany(listings);
        return count(listed, listed.flat().length);
      },
    },
    storage,
  );
  return { storage, reader: new RunStore(driver as RunStorage, () => 0), reads };
}

/** Counts what the first two pages of each status read from a storage with so many runs. */
async function readsFrom(size: number): Promise<{ requests: number; entries: number }[]> {
  const { storage, reader, reads } = counting();
  await seed(storage, size);
  const counts = [];
  for (const status of [undefined, "queued", ...ends] as const) {
    const { runs, next } = await pageOf(reader, ada, { status, limit: 20 });
    expect(runs).toHaveLength(status === "queued" ? 6 : 20);
    counts.push({ ...reads });
    Object.assign(reads, { requests: 0, entries: 0 });
    if (next !== undefined) await pageOf(reader, ada, { status, limit: 20, after: next });
    counts.push({ ...reads });
    Object.assign(reads, { requests: 0, entries: 0 });
  }
  return counts;
}

describe("the list of an owner's runs", () => {
  it("reads as much from a storage with 20,000 runs as from one with 400 [durable.list-flat]", async () => {
    const few = await readsFrom(400);
    const many = await readsFrom(20_000);

    for (const [index, reads] of many.entries()) {
      expect(Math.abs(reads.requests - (few[index]?.requests ?? 0))).toBeLessThanOrEqual(2);
      expect(Math.abs(reads.entries - (few[index]?.entries ?? 0))).toBeLessThanOrEqual(2);
      expect(reads.requests).toBeLessThan(40);
    }
  });

  it.each([1, 7, 100])("has each run once, newest first, in pages of %i", async (limit) => {
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => 0);
    const ids = (await seed(storage, 400)).toReversed();
    const withEnd = (end?: EndStatus) => ids.filter((id) => endOf(400, Number(id.slice(1))) === end);

    expect(await idsOf(store, ada, { limit })).toEqual(ids);
    expect(await idsOf(store, ada, { limit, status: "queued" })).toEqual(withEnd());
    for (const end of ends) expect(await idsOf(store, ada, { limit, status: end })).toEqual(withEnd(end));
  });

  it("has each run once among more open runs than are read at once", async () => {
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => 0);
    const ids = Array.from({ length: 300 }, (_, index) => `r${String(index).padStart(3, "0")}`);
    const ended = ids.filter((_, index) => index % 5 === 0);
    await Promise.all(ids.map((runId, index) => store.insert(newRecord({ runId, createdAt: index }))));
    for (const runId of ended) await store.finish(runId, { status: "error" });

    expect(await idsOf(store, ada, { status: "error", limit: 100 })).toEqual(ended.toReversed());
    expect(await idsOf(store, ada, { status: "queued", limit: 100 })).toHaveLength(240);
  });

  it.each([49, 50, 51, 100, 101])("has the oldest run behind %i others of another status", async (count) => {
    const store = new RunStore(new InMemoryStorage(), () => 0);
    const ids = Array.from({ length: count + 1 }, (_, index) => `r${String(index).padStart(3, "0")}`);
    await Promise.all(ids.map((runId, index) => store.insert(newRecord({ runId, createdAt: index }))));
    await store.change("r000", (record) => ({ ...record, status: "running" }));

    expect(await idsOf(store, ada, { status: "running", limit: 1 })).toEqual(["r000"]);
    expect(await idsOf(store, ada, { status: "queued", limit: 40 })).toEqual(ids.slice(1).toReversed());
  });

  it.each([["together"], ["one by one"]])("has a run that ends while it is read, by lists %s", async (how) => {
    let settle = async (): Promise<void> => {};
    const storage = new InMemoryStorage();
    const onceListed = async <Answer>(answer: Answer): Promise<Answer> => {
      await settle();
      return answer;
    };
    const { driver } = new RemoteStorage(
      {
        list: async (...args) => await onceListed(await storage.list(...args)),
        listMany:
          how === "together" ? async (listings) => await onceListed(await storage.listMany(listings)) : undefined,
      },
      storage,
    );
    const store = new RunStore(storage, () => 0);
    const record = newRecord({ runId: "r1", createdAt: 1 });
    await store.insert(record);
    settle = async () => await store.finish("r1", { status: "completed" });

    expect(await idsOf(new RunStore(driver as RunStorage, () => 0), ada)).toEqual(["r1"]);
  });
});

describe("an entry in the list of an owner's runs", () => {
  it("is left out and removed, when its run was removed before another process had stored the end", async () => {
    const { driver, inner } = new RemoteStorage();
    const [one, other] = [new RunStore(driver as RunStorage, () => 0), new RunStore(inner, () => 0)];
    await one.insert(newRecord({ runId: "r1", createdAt: 1 }));
    await one.finish("r1", { status: "error" });
    await other.lists.remove(newRecord({ runId: "r1", createdAt: 1, status: "error", endedAt: 0 }));
    await one.flush();
    expect((await inner.list("run-by")).map(({ key }) => key)).toContain("-/ada/error/999999999999998.r1");

    expect(await idsOf(other, ada)).toEqual([]);
    expect(await inner.list("run-by", "-/")).toEqual([]);
  });

  it("an entry in the list of an owner's runs of another run that had the id shows no run of another owner", async () => {
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => 0);
    await store.insert(newRecord({ runId: "r1", createdAt: 1 }));
    for (const group of ["open", "completed"]) {
      await storage.set("run-by", `-/bob/${group}/999999999999998.r1`, { v: 1, createdAt: 1, sessionId: "s" });
    }

    expect(await idsOf(store, bob)).toEqual([]);
    expect(await idsOf(store, ada)).toEqual(["r1"]);
  });

  it("goes with a request whose run another one was first to store, and with a run that was never stored", async () => {
    let now = 0;
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => now);
    await store.insert(newRecord({ runId: "r1", createdAt: 1 }));
    expect(await store.insert(newRecord({ runId: "r1", createdAt: 2, owner: bob, sessionId: "other" }))).toBe(false);
    const listed = (await storage.list("run-by")).map(({ key }) => key);
    const [place, session] = ["999999999999998.r1", "#session/-/ada/s/999999999999998/r1"];
    expect(listed).toEqual([`#all/${place}`, session, `-/ada/open/${place}`]);

    await storage.delete("runs", "r1");
    await store.lists.closeOrphan("r1");
    now += 60_000;
    await store.lists.closeOrphan("r1");
    expect(await storage.list("run-by")).toEqual([]);
  });

  it("is that of each end once, and none after the removal", async () => {
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => 5);
    for (const status of ends) {
      await store.insert(newRecord({ runId: status, createdAt: 1 }));
      await store.finish(status, { status });
    }
    const listed = (await storage.list("run-by", "-/")).map(({ key }) => key);
    expect(listed).toEqual(ends.toSorted().map((end) => `-/ada/${end}/999999999999998.${end}`));

    for (const status of ends) {
      const record = await store.read(status);
      if (record !== null) await store.lists.remove(record);
    }
    expect(await storage.list("run-by")).toEqual([]);
  });
});

import { describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { listRuns } from "./list-runs.ts";
import type { RunRecord } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import type { RunCaller, RunListOptions } from "./run-view.ts";
import { newRecord, pageOf } from "./test/run-records.ts";

const ada = { userId: "ada" };
const now = () => 100;

async function storeWith(...runs: (Partial<RunRecord> & { runId: string; createdAt: number })[]): Promise<RunStore> {
  const store = new RunStore(new InMemoryStorage(), () => 100, true);
  for (const { status, ...run } of runs) {
    await store.insert(newRecord(run));
    if (status === "completed" || status === "error") await store.finish(run.runId, { status, output: "Long." });
    else if (status !== undefined) await store.change(run.runId, (record) => ({ ...record, status }));
  }
  return store;
}

const callers: [name: string, caller: RunCaller][] = [
  ["a user", ada],
  ["the host", "host"],
];

describe.each(callers)("listRuns of %s", (_name, caller) => {
  const page = async (store: RunStore, options: RunListOptions = {}) => {
    const { runs, next } = await pageOf(store, caller, options);
    return [runs.map(({ runId }) => runId), next];
  };

  it("has the newest first, and those of one moment by their ids, page by page", async () => {
    const times = { b: 5, a: 5, old: 1, new: 9, c: 5 };
    const store = await storeWith(...Object.entries(times).map(([runId, createdAt]) => ({ runId, createdAt })));
    expect(await page(store)).toEqual([["new", "a", "b", "c", "old"], undefined]);
    expect(await page(store, { limit: 2 })).toEqual([["new", "a"], "5.a"]);
    expect(await page(store, { limit: 2, after: "5.a" })).toEqual([["b", "c"], "5.c"]);
    expect(await page(store, { limit: 2, after: "5.c" })).toEqual([["old"], undefined]);
    expect(await page(store, { limit: 5 })).toEqual([["new", "a", "b", "c", "old"], undefined]);
    expect(await page(store, { after: "9.zzz" })).toEqual([["a", "b", "c", "old"], undefined]);
    expect(await page(store, { after: "1.old" })).toEqual([[], undefined]);
  });

  it("has 20 runs where no limit is given, and none whose time is over", async () => {
    const runs = Array.from({ length: 23 }, (_, at) => ({ runId: `r${at + 10}`, createdAt: at }));
    const expired = [99, 100].map((expiresAt) => ({ runId: `x${expiresAt}`, createdAt: 50, expiresAt }));
    const store = await storeWith(...runs, ...expired, { runId: "kept", createdAt: 60, expiresAt: 101 });
    const [ids, next] = await page(store);
    expect(ids).toEqual([
      "kept",
      ...runs
        .slice(4)
        .map(({ runId }) => runId)
        .toReversed(),
    ]);
    expect(next).toBe("4.r14");
  });

  it("has the runs of one status", async () => {
    const statuses = ["queued", "running", "waiting", "completed", "error"] as const;
    const store = await storeWith(
      ...statuses.map((status, createdAt) => ({ runId: `is-${status}`, createdAt, status })),
    );
    for (const status of statuses) expect(await page(store, { status })).toEqual([[`is-${status}`], undefined]);
    expect(await page(store, { status: "cancelled" })).toEqual([[], undefined]);
  });

  it("shows and counts a run as over whose log has its end, though its record does not", async () => {
    const statuses = { queued: "queued", running: "running", waiting: "waiting", open: "running" } as const;
    const store = await storeWith(
      ...Object.entries(statuses).map(([runId, status], createdAt) => ({ runId, createdAt, status })),
    );
    for (const runId of ["queued", "running", "waiting"]) {
      const entries = [
        { t: "attempt", n: 3, node: "n", print: "" },
        { t: "end", output: null },
      ];
      await store.storage.set("run-log", `${runId}/000000000001`, { v: 1, entries });
    }

    const { runs } = await pageOf(store, caller);
    expect(runs.map(({ runId, status, attempts }) => [runId, status, attempts])).toEqual([
      ["open", "running", 0],
      ["waiting", "completed", 3],
      ["running", "completed", 3],
      ["queued", "completed", 3],
    ]);
    expect(await page(store, { status: "completed", limit: 2 })).toEqual([["waiting", "running"], "1.running"]);
    expect(await page(store, { status: "running" })).toEqual([["open"], undefined]);
  });

  it("reads one page of entries, and the records of that page alone", async () => {
    const store = await storeWith(...Array.from({ length: 300 }, (_, at) => ({ runId: `r${at}`, createdAt: at })));
    const list = vi.spyOn(store.storage, "list");
    const get = vi.spyOn(store.storage, "get");
    expect(await page(store, { limit: 5 })).toEqual([["r299", "r298", "r297", "r296", "r295"], "295.r295"]);

    const lists = list.mock.calls.filter(([namespace]) => namespace === "run-by");
    const limits = lists.map(([, , options]) => options?.limit ?? Infinity);
    expect(Math.max(...limits)).toBeLessThanOrEqual(50);
    expect(lists.length).toBeLessThanOrEqual(4);
    expect(get).toHaveBeenCalledTimes(6);
  });

  it("has outputs only where they are asked for, and the time of removal of each view", async () => {
    const store = await storeWith({ runId: "r1", createdAt: 1, status: "completed" });
    const view = {
      runId: "r1",
      kind: "agent",
      name: "a",
      sessionId: "s",
      status: "completed",
      createdAt: 1,
      endedAt: 100,
      expiresAt: 1100,
      attempts: 0,
    };
    const list = async (options: RunListOptions) => await listRuns({ store, now, recordMs: 1000 }, caller, options);
    expect(await list({})).toEqual({ runs: [view] });
    expect(await list({ hasOutputs: false })).toEqual({ runs: [view] });
    expect(await list({ hasOutputs: true })).toEqual({ runs: [{ ...view, output: "Long." }] });
  });

  it("drops entries without a record, and none of a run that is being accepted", async () => {
    const store = await storeWith({ runId: "r1", createdAt: 1 });
    const coming = newRecord({ runId: "coming", createdAt: 2 });
    await store.openRuns.add(coming);
    const time = "999999999999997";
    for (const runId of ["gone", "coming"]) {
      const listed = { v: 1, createdAt: 2, sessionId: "s" };
      await store.storage.set("run-by", `-/ada/open/${time}.${runId}`, listed);
      await store.storage.set("run-by", `#all/${time}.${runId}`, { v: 1 });
    }
    expect(await page(store)).toEqual([["r1"], undefined]);
    const prefix = caller === "host" ? `#all/${time}.` : `-/ada/open/${time}.`;
    expect((await store.storage.list("run-by", prefix)).map(({ key }) => key)).toEqual([`${prefix}coming`]);
  });

  it.each([
    [{ status: "done" }, "status"],
    [{ limit: 0 }, "limit"],
    [{ limit: 101 }, "limit"],
    [{ limit: Number.NaN }, "limit"],
    [{ after: "r1" }, "after"],
    [{ after: "-1.r1" }, "after"],
    [{ after: "1.r/1" }, "after"],
    [{ after: `${"1".repeat(16)}.r1` }, "after"],
    [{ after: `1.${"r".repeat(65)}` }, "after"],
    [{ after: "1.r1\n" }, "after"],
    [{ hasOutputs: 1 }, "hasOutputs"],
    [{ owner: "ada" }, "owner"],
  ])("refuses %j, and names it", async (options, name) => {
    const list = listRuns({ store: await storeWith(), now, recordMs: 1 }, caller, options as RunListOptions);
    await expect(list).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(new RegExp(String.raw`\b${name}\b`)),
    });
  });
});

it("listRuns has a user's own runs alone, and all for the host", async () => {
  const owners = {
    own: ada,
    bobs: { userId: "bob" },
    tenants: { ...ada, tenantId: "t" },
    claimed: { ...ada, verified: false },
  };
  const runs = Object.entries(owners).map(([runId, owner], createdAt) => ({ runId, createdAt, owner }));
  const store = await storeWith(...runs, { runId: "nobodys", createdAt: 9, owner: {} });
  for (const [runId, owner] of Object.entries(owners)) {
    expect((await pageOf(store, owner)).runs).toMatchObject([{ runId }]);
  }
  const { runs: all } = await pageOf(store, "host");
  expect(all.map(({ runId }) => runId)).toEqual(["nobodys", "claimed", "tenants", "bobs", "own"]);
});

it.each([
  [{}, "Runs are listed by their user: userId is missing."],
  [{ tenantId: "t" }, "Runs are listed by their user: userId is missing."],
  [{ userId: "" }, expect.stringContaining("userId")],
])("listRuns refuses the caller %j", async (caller, message) => {
  await expect(pageOf(await storeWith(), caller)).rejects.toMatchObject({ code: "invalid_request", message });
});

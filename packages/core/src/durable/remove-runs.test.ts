import { describe, expect, it } from "vitest";
import { RunStore } from "../run-store/run-store.ts";
import { idsOf, newRecord } from "../run-store/test/run-records.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { removeRuns } from "./remove-runs.ts";

const prefixes = ["-/bob/open/", "-/bob/error/"];

describe("the removal of an owner's runs", () => {
  it("leaves a run of another owner whose id one of this owner's had", async () => {
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => 0);
    await store.insert(newRecord({ runId: "r1", createdAt: 2 }));
    for (const prefix of prefixes) await storage.set("run-by", `${prefix}999999999999998.r1`, { v: 1 });
    await removeRuns(store, prefixes, (record) => store.remove(record));

    expect(await idsOf(store, { userId: "ada" })).toEqual(["r1"]);
    expect(await storage.list("run-by", "-/bob/error/")).toEqual([]);
  });

  it("removes the entries of runs that are no more, and leaves that of a run that may be being accepted", async () => {
    const storage = new InMemoryStorage();
    const store = new RunStore(storage, () => 0);
    for (const runId of ["r1", "r2"]) {
      for (const prefix of prefixes) await storage.set("run-by", `${prefix}999999999999998.${runId}`, { v: 1 });
    }
    await store.open(newRecord({ runId: "r1", createdAt: 2 }));
    await removeRuns(store, prefixes, (record) => store.remove(record));

    expect((await storage.list("run-by")).map(({ key }) => key)).toEqual(["-/bob/open/999999999999998.r1"]);
  });
});

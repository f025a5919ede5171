import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { RunRecord } from "./run-record.ts";
import { RunStore } from "./run-store.ts";

const record = { runId: "run/é", activation: 1, status: "queued", owner: {} } as unknown as RunRecord;

async function listed(store: RunStore): Promise<{ runIds: string[]; errors: unknown[] }> {
  const errors: unknown[] = [];
  const runIds: string[] = [];
  for await (const page of store.openRuns.list((error) => errors.push(error)))
    runIds.push(...page.map(({ runId }) => runId));
  return { runIds, errors };
}

it("the list of open runs lists the open runs of all pages, without a damaged entry, which is told", async () => {
  const storage = new InMemoryStorage();
  const store = new RunStore(storage, () => 1);
  const runIds = Array.from({ length: 205 }, (_, index) => `run/é${String(index).padStart(3, "0")}`);
  for (const runId of runIds) await store.openRuns.add({ ...record, runId });
  const [first] = await storage.list(runNamespaces.open);
  await storage.set(runNamespaces.open, first?.key ?? "", { v: 99 });

  const { runIds: found, errors } = await listed(store);

  expect(found.toSorted()).toEqual(runIds.slice(1));
  expect(errors).toEqual([expect.objectContaining({ code: "storage_corrupt" })]);
});

it("the list of open runs lets one of two processes that list an open run renew it", async () => {
  const storage = new InMemoryStorage();
  const stores = [2, 3].map((now) => new RunStore(storage, () => now));
  await new RunStore(storage, () => 1).openRuns.add(record);
  const pages = await Promise.all(stores.map(async (store) => (await store.openRuns.list(() => {}).next()).value));
  const renewed = [];
  for (const [index, page] of pages.entries())
    for (const found of page ?? []) renewed.push(await stores[index]?.openRuns.renew(found));

  expect(renewed).toEqual([true, false]);
});

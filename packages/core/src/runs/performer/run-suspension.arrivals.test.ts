import { describe, expect, it } from "vitest";
import type { Attempt } from "../../agents/journal/attempt.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { putAnswer, putCancel } from "../record/answers.ts";
import type { RunRecord } from "../record/run-record.ts";
import { now, partsOf, record } from "../processes/test/parts.ts";
import { RunSuspension } from "./run-ends.ts";
import { RunningNote } from "./running-note.ts";
import { sweepMs } from "../processes/run-sweep.ts";

class StorageWithArrival extends InMemoryStorage {
  /** The calls so far, by method and namespace. */
  readonly calls: string[] = [];
  arrive: (() => Promise<void>) | undefined;
  arrivesAt = 0;

  async #before(name: string): Promise<void> {
    if (this.calls.push(name) === this.arrivesAt) await this.arrive?.();
  }

  override async get(...args: Parameters<InMemoryStorage["get"]>) {
    await this.#before(`get ${args[0]}`);
    return await super.get(...args);
  }

  override async set(...args: Parameters<InMemoryStorage["set"]>) {
    await this.#before(`set ${args[0]}`);
    await super.set(...args);
  }

  override async list(...args: Parameters<InMemoryStorage["list"]>) {
    await this.#before(`list ${args[0]}`);
    return await super.list(...args);
  }

  override async compareAndSet(...args: Parameters<InMemoryStorage["compareAndSet"]>) {
    await this.#before(`swap ${args[0]}`);
    return await super.compareAndSet(...args);
  }
}

/** Suspends a run for an approval. Something arrives before the storage call of this number, if any. */
async function suspendWith({ arrivesAt = 0, until }: { arrivesAt?: number; until?: number | undefined } = {}) {
  const storage = new StorageWithArrival();
  const { parts } = partsOf({}, { storage });
  const { store } = parts;
  await store.insert(record);
  const submitted: RunRecord[] = [];
  const resubmit = (woken: RunRecord) => void submitted.push(woken);
  const waits = [{ id: "w", kind: "approval" as const, about: {}, ...(until !== undefined && { until }) }];
  const note = new RunningNote(store, record, { attempts: 1, node: "here", startedAt: 5, plan: { tools: {} } });
  storage.calls.length = 0;
  const suspend = async (arrive: () => Promise<void>): Promise<void> => {
    Object.assign(storage, { arrive, arrivesAt });
    await new RunSuspension(parts, resubmit).suspend(
      record,
      { attempt: 1, steps: { waits } } as unknown as Attempt,
      note,
    );
  };
  const open = async () => (await storage.list("run-open")).map(({ value }) => value);
  return { storage, store, submitted, suspend, open };
}

it("a run that suspends reads its entry in the list of open runs before its inbox, and its record before both", async () => {
  const { storage, suspend, open } = await suspendWith();
  await suspend(async () => undefined);

  expect(storage.calls).toEqual([
    "swap runs",
    "get runs",
    "swap runs",
    "get run-open",
    "list run-inbox",
    "swap run-open",
  ]);
  expect(await open()).toEqual([]);
});

describe.each([
  ["without end", undefined],
  ["that ends late", now + 2 * sweepMs],
])("a run that suspends for a wait %s", (_, until) => {
  it.each([1, 2, 3, 4, 5, 6])(
    "wakes a suspending run once, and keeps it listed, if an answer arrives before storage call %i",
    async (arrivesAt) => {
      const { store, submitted, suspend, open } = await suspendWith({ arrivesAt, until });
      await suspend(async () => {
        const stored = await store.read("r");
        if (stored?.status === "waiting") await store.openRuns.add(stored);
        await putAnswer(store.storage, { runId: "r", waitId: "w" }, { approved: true });
        const woken = await store.wake("r");
        if (woken !== null) submitted.push(woken);
      });

      expect(submitted.map(({ activation }) => activation)).toEqual([2]);
      expect(await store.read("r")).toMatchObject({ status: "queued", activation: 2 });
      expect(await open()).toEqual([expect.objectContaining({ activation: 2, submittedAt: now })]);
    },
  );

  it.each([1, 2, 3, 4, 5])(
    "wakes a suspending run once, and keeps it listed, if a cancellation arrives before storage call %i",
    async (arrivesAt) => {
      const { store, submitted, suspend, open } = await suspendWith({ arrivesAt, until });
      await suspend(async () => await putCancel(store.storage, "r", "Enough."));

      expect(submitted.map(({ activation }) => activation)).toEqual([2]);
      expect(await open()).toEqual([expect.objectContaining({ activation: 2, submittedAt: now })]);
    },
  );
});

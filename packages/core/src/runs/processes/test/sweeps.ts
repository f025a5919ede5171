import { vi } from "vitest";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { FoundOpenRun } from "../../record/open-runs.ts";
import type { RunStorage } from "../../record/run-record.ts";
import { RunStore } from "../../record/run-store.ts";
import { Admission } from "../admission.ts";
import { RunSweep } from "../run-sweep.ts";
import type { Performing } from "../service-parts.ts";

/** The time of the process, in epoch milliseconds, where nothing else is said. */
export const start = 1_000_000_000_000;

const ann = "-/u:ann";

/** A sweep with all that it has done. */
export function sweepOf(storage: RunStorage = new InMemoryStorage(), performed: readonly string[] = []) {
  const store = new RunStore(storage, Date.now);
  const admission = new Admission({ maxQueued: 10, perCaller: 10, maxAnonymousBytes: 1024 });
  const replaced = vi.spyOn(admission, "replace");
  const performing = new Map(performed.map((id) => [id, {} as Performing]));
  const [submitted, cancelled, errors]: [string[], string[], unknown[]] = [[], [], []];
  const submit = vi.fn<(run: FoundOpenRun) => Promise<void>>(async ({ runId }) => void submitted.push(runId));
  const cleanUp = vi.fn<() => Promise<void>>(async () => {});
  const onError = (error: unknown) => void errors.push(error);
  const cancel = (runId: string) => void cancelled.push(runId);
  const noted: [runId: string, inMs: number][] = [];
  const due = { add: (runId: string, at: number) => void noted.push([runId, at - Date.now()]) };
  const sweep = new RunSweep({ store, admission, performing, due, now: Date.now, submit, cleanUp, cancel, onError });
  const counts = () => replaced.mock.calls.map(([found]) => found.map(({ runId }) => runId));
  return { sweep, store, storage, performing, submit, submitted, cleanUp, cancelled, errors, counts, noted };
}

/** Puts a run on the list of open ones, as submitted some time ago. */
export async function open(storage: RunStorage, runId: string, ageMs: number): Promise<void> {
  const run = { v: 1, submittedAt: start - ageMs, activation: 1, priority: 10, owner: ann };
  await storage.set("run-open", runId, run);
}

/** Puts a waiting run on the list of open ones, to be woken at some time. */
export async function openTimed(storage: RunStorage, runId: string, ageMs: number): Promise<void> {
  await open(storage, runId, ageMs);
  await storage.set("run-open", runId, { ...((await storage.get("run-open", runId)) as object), isTimed: true });
}

/** Returns the time in the entry of a run. */
export async function submittedAt(storage: RunStorage, runId: string): Promise<unknown> {
  return ((await storage.get("run-open", runId)) as { submittedAt?: number } | null)?.submittedAt;
}

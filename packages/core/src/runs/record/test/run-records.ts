import { listRuns } from "../list-runs.ts";
import type { RunRecord } from "../run-record.ts";
import type { RunStore } from "../run-store.ts";
import type { RunCaller, RunListOptions, RunPage } from "../run-view.ts";

/** Makes the record of a run that has just been accepted, of ada if no other owner is given. */
export function newRecord(given: Pick<RunRecord, "runId" | "createdAt"> & Partial<RunRecord>): RunRecord {
  const owner = { userId: "ada" };
  const target = { kind: "agent", name: "a", sessionId: "s", options: {}, plan: { tools: {} } } as const;
  return { v: 1, owner, ...target, priority: 10, activation: 1, status: "queued", attempts: 0, ...given };
}

/** Lists one page of runs. */
export async function pageOf(store: RunStore, caller: RunCaller, options: RunListOptions = {}): Promise<RunPage> {
  return await listRuns({ store, now: () => 500, recordMs: 1_000_000 }, caller, options);
}

/** Lists the ids of all runs, page by page. */
export async function idsOf(store: RunStore, caller: RunCaller, options: RunListOptions = {}): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const { runs, next } = await pageOf(store, caller, { ...options, after });
    ids.push(...runs.map(({ runId }) => runId));
    after = next;
  } while (after !== undefined);
  return ids;
}

import { mapBounded } from "../../base/async/map-bounded.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LogEnd, LogEntry } from "../../agents/journal/log-entry.ts";
import { readLastRecord, readLog } from "../../agents/journal/read-log.ts";
import { isSameTenant, ownerKey } from "../../sessions/storage/owner-key.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { endOf, isEnded } from "./run-record.ts";
import { byKeys } from "./run-keys.ts";
import type { RunRecord } from "./run-record.ts";
import type { RunStore } from "./run-store.ts";
import type { RunCaller } from "./run-view.ts";

/** The number of a session's newest runs that are searched for its open run. */
const searchedRuns = 50;

/**
 * Returns a run that the caller may access. Rejects with `not_found` for other callers, as if the run did not exist,
 * and for a run whose removal time has come, except for the host. `known` is the run's record, if it need not be read.
 */
export async function findRun(
  { store, known }: { store: RunStore; known?: RunRecord | undefined },
  runId: string,
  caller: RunCaller,
): Promise<RunRecord> {
  const isId = /^[\w-]{1,64}$/.test(runId);
  const record = known ?? (isId ? await store.read(runId) : null);
  if (record !== null && mayReach(record, caller) && (caller === "host" || !store.isExpired(record))) return record;
  const shown = JSON.stringify(runId.slice(0, 64));
  throw new TroupeError("not_found", `Run ${shown} not found. It may have been removed, or belong to another user.`);
}

/**
 * Returns the record of a run with the end, or the new attempt, that its log already contains. For readers a run is
 * over when its log has the end. Its record follows a moment later or, if the process crashed, when another process has
 * taken the run over.
 */
export async function withLoggedEnd(store: RunStore, record: RunRecord, now: () => number): Promise<RunRecord> {
  const { storage } = store;
  if (isEnded(record.status)) return record;
  const entries = (await readLastRecord(storage, record.runId))?.record.entries ?? [];
  const end = endIn(entries);
  if (end === undefined) return withLastAttempt(record, entries);
  const { waits: _waits, ...ended }: RunRecord = { ...record, ...endOf(end), endedAt: now() };
  // If the record lacks the end, it may also not count the last attempt, which only the log contains then.
  for await (const page of readLog(storage, record.runId)) {
    for (const entry of page.flatMap((each) => each.record.entries)) {
      if (entry.t !== "attempt") continue;
      ended.attempts = entry.n;
      ended.node = entry.node;
      if (entry.at !== undefined) ended.startedAt ??= entry.at;
    }
  }
  return ended;
}

/** Adds the attempt that begins in the last record of a log, because the run's record may not count it yet. */
function withLastAttempt(record: RunRecord, entries: readonly LogEntry[]): RunRecord {
  const begun = entries.findLast((entry) => entry.t === "attempt");
  if (begun === undefined || begun.n <= record.attempts) return record;
  return { ...record, attempts: begun.n, node: begun.node };
}

/** Returns true if a run is over according to its record or its log. */
export async function isOver({ storage }: RunStore, { runId, status }: RunRecord): Promise<boolean> {
  if (isEnded(status)) return true;
  return endIn((await readLastRecord(storage, runId))?.record.entries ?? []) !== undefined;
}

function endIn(entries: readonly LogEntry[]): LogEnd | undefined {
  const last = entries.at(-1);
  return last?.t === "end" ? last : undefined;
}

/** The owner of a run, and true if callers without a user may also access it by its id. */
export type RunReach = Pick<RunRecord, "owner" | "isBearer">;

/**
 * Returns true if a caller may access a run. A run without a user is accessible by its id alone, within its tenant. A
 * run with `isBearer` is accessible in the same way to callers without a user.
 */
export function mayReach({ owner, isBearer = false }: RunReach, caller: RunCaller): boolean {
  if (caller === "host") return true;
  const given = checkOwner(caller);
  if (!isSameTenant(given, owner)) return false;
  if (owner.userId === undefined || (isBearer && given.userId === undefined)) return true;
  return ownerKey(given) === ownerKey(owner);
}

/** Returns the open runs among the newest runs of a session, newest first. A run whose log has the end is over. */
export async function runsOfSession(
  { store, now }: { store: RunStore; now: () => number },
  sessionId: string,
  owner: SessionOwner,
): Promise<RunRecord[]> {
  for await (const entries of store.lists.listEntries(byKeys.session(checkOwner(owner), sessionId))) {
    const runIds = new Set(entries.map(({ runId }) => runId));
    const records = await mapBounded([...runIds].slice(0, searchedRuns), async (runId) => {
      const record = await store.read(runId);
      return record && (await withLoggedEnd(store, record, now));
    });
    return records.filter((record) => record !== null && !isEnded(record.status)) as RunRecord[];
  }
  return [];
}

import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { isEnded, readOpenRun, readRunRecord, toOpenRun } from "./run-record.ts";
import type { OpenRun, RunRecord, RunStorage } from "./run-record.ts";
import type { Json } from "../../sessions/storage/json.ts";

/**
 * Updates the entry of a run in the list of open runs after a change of the run's record, as submitted at the given
 * time. Returns false if another process was faster: it has updated the entry, or it has performed the run and removed
 * the entry. A run that has ended meanwhile is not listed again.
 */
export async function relistRun(storage: RunStorage, record: RunRecord, submittedAt: number): Promise<boolean> {
  const { open } = runNamespaces;
  const [key, next] = [encodeKey(record.runId), toOpenRun(record, submittedAt)];
  for (;;) {
    const entry = await storage.get(open, key);
    const isDone =
      entry === null ? !(await mustBeListed(storage, record)) : isAsNew(readOpenRun(entry, record.runId), next);
    if (isDone) return false;
    if (!(await storage.compareAndSet(open, key, entry, next))) continue;
    // Only a run without an entry may have left the list after its record was read, and ended.
    if (entry === null && isOver(await readStored(storage, record))) await storage.compareAndSet(open, key, next, null);
    return true;
  }
}

/**
 * Marks the entry of a run in the list of open runs as held, or adds such an entry, before a message to the run is
 * stored. An attempt that suspends the run leaves a held entry in the list. Another process may continue the run at the
 * same time: its newer entry is kept and marked.
 */
export async function holdRun(storage: RunStorage, record: RunRecord, heldAt: number): Promise<void> {
  const [namespace, key] = [runNamespaces.open, encodeKey(record.runId)];
  for (;;) {
    const stored = await storage.get(namespace, key);
    if (await storage.compareAndSet(namespace, key, stored, toHeld(stored, record, heldAt))) return;
  }
}

/**
 * Returns the entry of a run in the list of open runs, marked as held. If the run is not listed (`stored` is null),
 * returns a new entry.
 */
function toHeld(stored: Json | null, record: RunRecord, heldAt: number): OpenRun {
  if (stored === null) return { ...toOpenRun(record, heldAt), heldAt };
  const { isTimed: _isTimed, ...entry } = readOpenRun(stored, record.runId);
  // The message must not delay the takeover of a run whose process has died.
  const submittedAt = Math.min(heldAt, entry.submittedAt);
  const next = toOpenRun(record, submittedAt);
  return { ...(isAsNew(entry, next) ? { ...entry, submittedAt } : next), heldAt };
}

/** Returns true if a run without an entry in the list of open runs is still in the state of the given record. */
async function mustBeListed(storage: RunStorage, record: RunRecord): Promise<boolean> {
  const current = await readStored(storage, record);
  if (current === null || isOver(current) || current.activation !== record.activation) return false;
  return current.status !== "waiting" || record.status === "waiting";
}

async function readStored(storage: RunStorage, { runId }: RunRecord): Promise<RunRecord | null> {
  return readRunRecord(await storage.get(runNamespaces.runs, encodeKey(runId)), runId);
}

/** Returns true if a run has ended or was removed. */
function isOver(record: RunRecord | null): boolean {
  return record === null || isEnded(record.status);
}

/** Returns true if a stored entry in the list of open runs is as new as the next entry of the same run. */
function isAsNew(stored: OpenRun, next: OpenRun): boolean {
  return stored.activation >= next.activation && (stored.waitsForUpgrade === true || next.waitsForUpgrade !== true);
}

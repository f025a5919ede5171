import { withTimeout } from "../../base/async/with-timeout.ts";
import { sleep } from "../../base/async/sleep.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Performing } from "../attempts/process-state.ts";
import type { ServiceParts } from "../attempts/service-parts.ts";
import { withLoggedEnd } from "../run-store/find-runs.ts";
import { byKeys, isEnded, runGroups } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import type { RunStore } from "../run-store/run-store.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";

/** Milliseconds that a running run may take to end before its removal. */
const longestWaitMs = 10_000;

type Removal = {
  parts: ServiceParts;
  performing: ReadonlyMap<string, Performing>;
  cancel: (runId: string) => Promise<unknown>;
};

/** Removes a run with its log, its inbox and its entries in lists. An open run is cancelled first. */
export async function removeRun({ parts, performing, cancel }: Removal, record: RunRecord): Promise<void> {
  const { runId } = record;
  let last: RunRecord | null = record;
  if (!isEnded(record.status)) {
    await cancel(runId);
    await withTimeout(performing.get(runId)?.done ?? Promise.resolve(), {
      timeoutMs: longestWaitMs,
      onTimeout: () => undefined,
    });
    last = await readEnded(parts, runId);
  }
  if (last === null) return;
  await parts.store.remove(last);
  parts.vault.forget(runId);
  parts.locals.delete(runId);
  parts.admission?.remove(runId);
  parts.tails.fail(runId, new TroupeError("gone", "The run was removed."));
}

/**
 * Waits until a run that another process performs is over. Its log must not be removed before, because the log keeps
 * attempts apart. A process that crashed after storing the end in the log has left the record unchanged.
 */
async function readEnded(
  { store, now }: Pick<ServiceParts, "store" | "now">,
  runId: string,
): Promise<RunRecord | null> {
  for (let waitedMs = 0; ; waitedMs += 100) {
    const stored = await store.read(runId);
    const record = stored === null ? null : await withLoggedEnd(store, stored, now);
    if (stored === null || record === null) return null;
    if (isEnded(record.status)) {
      if (!isEnded(stored.status)) await storeEnd(store, record);
      return record;
    }
    if (waitedMs >= longestWaitMs) {
      throw new TroupeError("conflict", "The run is being cancelled by another process. Remove it again in a moment.");
    }
    await sleep(100);
  }
}

/**
 * Stores an end that only the log contains: without the record's end and without its log the run would be performed
 * again.
 */
async function storeEnd(store: RunStore, { keys: _keys, ...ended }: RunRecord): Promise<void> {
  await store.change(ended.runId, ({ status }) => (isEnded(status) ? null : ended));
}

/** Returns the prefixes of all lists of an owner's runs, in the order in which they must be read. */
export function prefixesOf(owner: SessionOwner): string[] {
  return [...runGroups.map((group) => byKeys.group(ownerKey(owner), group)), byKeys.sessionsOf(owner)];
}

/**
 * Removes all runs that are listed under some prefixes, in order. Tries all of them, then rejects with the first
 * failure; some runs may be left.
 */
export async function removeRuns(
  store: RunStore,
  prefixes: readonly string[],
  remove: (record: RunRecord) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const prefix of prefixes) {
    const entries = (await Array.fromAsync(store.listEntries(prefix))).flat();
    for (const { runId, key } of entries) {
      const record = await store.read(runId);
      // An entry may be left over for a run whose id now belongs to a run of another owner or session.
      if (record === null || !store.isPlaceOf(key, record)) await store.dropEntry(key);
      else await remove(record).catch((error: unknown) => failures.push(error));
    }
  }
  if (failures.length > 0) throw failures[0];
}

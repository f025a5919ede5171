import { mapBounded } from "../../base/async/map-bounded.ts";
import { sleep } from "../../base/async/sleep.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { ServiceSettings } from "../processes/run-service-options.ts";
import type { Performing, ServiceParts } from "../processes/service-parts.ts";
import { withLoggedEnd } from "../record/find-runs.ts";
import { byKeys, runGroups } from "../record/run-keys.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";

/** Milliseconds that a running run may take to end before its removal. */
const longestWaitMs = 10_000;

type RemovalInit = {
  readonly parts: ServiceParts;
  readonly retention: ServiceSettings["retention"];
  /** Cancels an open run before its removal. */
  readonly cancel: (runId: string) => Promise<unknown>;
};

/** Removes the runs of a service: single runs, all runs of a session or a user, and runs whose time is over. */
export class RunRemoval {
  readonly #init: RemovalInit;

  constructor(init: RemovalInit) {
    this.#init = init;
  }

  /** Removes a run. An open run is cancelled first. */
  readonly remove = async (record: RunRecord): Promise<void> => {
    const { parts, cancel } = this.#init;
    await removeRun({ parts, performing: parts.performing, cancel }, record);
  };

  /** Removes all runs of a session. */
  async removeSession(sessionId: string, owner: SessionOwner): Promise<void> {
    await removeRuns(this.#init.parts.store, [byKeys.session(owner, sessionId)], this.remove);
  }

  /** Removes all runs of a user. */
  async removeUser(owner: SessionOwner): Promise<void> {
    await removeRuns(this.#init.parts.store, prefixesOf(owner), this.remove);
  }

  /**
   * Removes runs whose `ttlMs` is over, and the logs and records of runs that ended long enough ago. `serve` of the
   * service calls it periodically.
   */
  async cleanUp(): Promise<void> {
    const { store, now } = this.#init.parts;
    const { logMs, recordMs } = this.#init.retention;
    const at = now();
    await store.lists.removeOld(at - Math.min(logMs, recordMs), at - recordMs);
    for await (const records of store.lists.listExpired()) {
      // A run that another process performs is tried again later.
      await mapBounded(records, (record) => this.remove(record).catch(() => undefined));
    }
  }
}

type Removal = {
  parts: ServiceParts;
  performing: ReadonlyMap<string, Performing>;
  cancel: (runId: string) => Promise<unknown>;
};

/** Removes a run with its log, the messages to it and its entries in lists. An open run is cancelled first. */
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
  await parts.store.lists.remove(last);
  parts.vault.forget(runId);
  parts.locals.delete(runId);
  parts.admission?.remove(runId);
  parts.tails.fail(runId, new TroupeError("gone", "The run was removed."));
}

/**
 * Waits until a run that another process performs is over. Its log must not be removed earlier, because the log keeps
 * attempts apart. If that process crashed after storing the end in the log, the run's record does not show the end.
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
 * Stores in the run's record an end that only the log contains. Otherwise the run would be performed again once its log
 * is removed.
 */
async function storeEnd(store: RunStore, { keys: _keys, ...ended }: RunRecord): Promise<void> {
  await store.change(ended.runId, ({ status }) => (isEnded(status) ? null : ended));
}

/** Returns the prefixes of all lists of an owner's runs, in the order in which they must be read. */
export function prefixesOf(owner: SessionOwner): string[] {
  return [...runGroups.map((group) => byKeys.group(ownerKey(owner), group)), byKeys.sessionsOf(owner)];
}

/**
 * Removes all runs that are listed under the given prefixes, in order. Tries all of them, then rejects with the first
 * failure; some runs may be left.
 */
export async function removeRuns(
  store: RunStore,
  prefixes: readonly string[],
  remove: (record: RunRecord) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const prefix of prefixes) {
    const entries = (await Array.fromAsync(store.lists.listEntries(prefix))).flat();
    for (const { runId, key } of entries) {
      const record = await store.read(runId);
      // The entry may belong to an earlier run. Its id may now belong to a run of another owner or session.
      if (record === null || !store.lists.places.has(key, record)) await store.lists.dropEntry(key);
      else await remove(record).catch((error: unknown) => failures.push(error));
    }
  }
  if (failures.length > 0) throw failures[0];
}

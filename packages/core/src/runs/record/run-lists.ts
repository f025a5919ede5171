import { mapBounded } from "../../base/async/map-bounded.ts";
import { logPrefix, runNamespaces } from "../../agents/journal/log-entry.ts";
import { removeAll } from "../../sessions/session/remove-session.ts";
import { scan } from "../../sessions/session/scan.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Write } from "../../sessions/storage/storage-driver.ts";
import { inputKeys, removeInput } from "./run-input.ts";
import { removeDeliveries } from "./run-notice.ts";
import { RunPlaces, byKeys, createdAtOf, isOfEnd, runIdOf, timeOf } from "./run-keys.ts";
import { callerOfOpen, readOpenRun } from "./open-runs.ts";
import type { OpenRun, OpenRuns } from "./open-runs.ts";
import { readRunRecord } from "./run-record.ts";
import type { RunRecord, RunStorage } from "./run-record.ts";
import { inOrder, writeAll, writeInOrder } from "./run-writes.ts";

const pageSize = 100;
/** Milliseconds after which no process can still be accepting a run whose record is missing. */
const orphanMs = 60_000;

/** Access to the records of the listed runs, and to the gathered writes that must be made before a list is read. */
type Records = {
  readonly storage: RunStorage;
  read(runId: string): Promise<RunRecord | null>;
  readStored(runId: string): Promise<RunRecord | null>;
  readonly openRuns: Pick<OpenRuns, "read">;
  flush(): Promise<void>;
};

/**
 * The lists that show the runs of a storage: the runs of each owner and session, all runs, and the ended runs. A run is removed from the lists with all its data.
 */
export class RunLists {
  readonly storage: RunStorage;
  readonly places: RunPlaces;
  readonly #store: Records;
  readonly #now: () => number;
  /** The time at which a run's record was first found missing, by run id. */
  readonly #missing = new Map<string, number>();

  /** @param init `isShared`: true if each user's open runs are listed, to be counted by several processes */
  constructor(store: Records, { now, isShared }: { now: () => number; isShared: boolean }) {
    this.storage = store.storage;
    this.#store = store;
    this.#now = now;
    this.places = new RunPlaces(isShared);
  }

  /** Lists all records of runs. */
  async *listAll(): AsyncGenerator<RunRecord> {
    for await (const page of scan(this.storage, { namespace: runNamespaces.runs, prefix: "", pageSize })) {
      for (const { key, value } of page) {
        const record = readRunRecord(value, decodeURIComponent(key));
        if (record !== null) yield record;
      }
    }
  }

  /** Lists the entries below a prefix of `run-by`, sorted by key. */
  async *listEntries(prefix: string): AsyncGenerator<{ key: string; runId: string }[]> {
    for await (const page of scan(this.storage, { namespace: runNamespaces.byOwner, prefix, pageSize })) {
      yield page.map(({ key }) => ({ key, runId: runIdOf(key) }));
    }
  }

  /**
   * Removes a list entry if its run is missing or listed elsewhere. Such an entry is left by a crash while a run was
   * accepted or removed, or by the end of a run that another process removed. Returns false for a valid entry, or an
   * entry that may be about to get its record.
   */
  async dropEntry(key: string): Promise<boolean> {
    const runId = runIdOf(key);
    // The list of open runs is read before the record: a run that is being accepted is on that list first, and leaves
    // it only once it has a record.
    const mayCome = !isOfEnd(key) && (await this.#store.openRuns.read(runId)) !== null;
    const record = await this.#store.readStored(runId);
    if (record === null ? mayCome : this.places.has(key, record)) return false;
    // The run's entry in its session's list is found through its entry among all runs, so it is removed first.
    const inSession = await this.#sessionPlaceOf(key);
    if (inSession !== undefined && !(record && this.places.has(inSession, record)))
      await this.storage.delete(runNamespaces.byOwner, inSession);
    await this.storage.delete(runNamespaces.byOwner, key);
    return true;
  }

  /** Returns the key of a run in its session's list, if the given key is its key among all runs. */
  async #sessionPlaceOf(key: string): Promise<string | undefined> {
    if (!key.startsWith(byKeys.all)) return undefined;
    const session = readProperty(await this.storage.get(runNamespaces.byOwner, key), "session");
    if (typeof session !== "string") return undefined;
    return byKeys.inSession(session, { createdAt: createdAtOf(key), runId: runIdOf(key) });
  }

  /** Removes a run with all its data. An interrupted removal can be repeated. */
  async remove(record: RunRecord): Promise<void> {
    const { runId, endedAt, expiresAt } = record;
    const { open, byOwner, runs } = runNamespaces;
    await this.#store.flush();
    const ended = endedAt === undefined ? [] : [byKeys.ofEnded(endedAt, runId), byKeys.ofBare(endedAt, runId)];
    const expiring = expiresAt === undefined ? [] : [byKeys.ofExpiring(expiresAt, runId)];
    const listed = [...this.places.all(record), ...ended, ...expiring];
    const writes = inOrder<"removeEntries", Write>("removeEntries", {
      unlisted: [{ namespace: open, key: encodeKey(runId), value: null }],
      noRecord: [{ namespace: runs, key: encodeKey(runId), value: null }],
      unplaced: listed.map((key) => ({ namespace: byOwner, key, value: null })),
    });
    const hasDeliveries = record.webhook !== undefined || record.hasDeliveries === true || record.isSubscribed === true;
    const deliveries = async () => await removeDeliveries(this.storage, record);
    await writeInOrder("remove", {
      log: () => this.removeLog(runId),
      deliveries: hasDeliveries ? deliveries : undefined,
      entries: () => writeAll(this.storage, writes),
    });
  }

  /** Removes the log of a run, the messages to it, and its input if that is stored outside the record. */
  async removeLog(runId: string): Promise<void> {
    await writeInOrder("removeLog", {
      noInput: () => removeInput(this.storage, runId),
      noLog: () => removeAll(this.storage, runNamespaces.log, logPrefix(runId)),
      noInbox: () => removeAll(this.storage, runNamespaces.inbox, logPrefix(runId)),
    });
  }

  /**
   * Removes the logs of runs that ended before `logsBefore`, and the records of runs that ended before `recordsBefore`.
   */
  async removeOld(logsBefore: number, recordsBefore: number): Promise<void> {
    await this.#store.flush();
    for await (const runIds of this.#endedBefore(byKeys.ended, logsBefore)) {
      await mapBounded(runIds, async ({ key, runId, endedAt }) => {
        await this.removeLog(runId);
        const bare = { namespace: runNamespaces.byOwner, key: byKeys.ofBare(endedAt, runId), value: { v: 1 } };
        await writeAll(this.storage, [bare, { namespace: runNamespaces.byOwner, key, value: null }]);
      });
    }
    for await (const runIds of this.#endedBefore(byKeys.bare, recordsBefore)) {
      await mapBounded(runIds, async ({ key, runId }) => {
        const record = await this.#store.read(runId);
        if (record === null) await this.storage.delete(runNamespaces.byOwner, key);
        else await this.remove(record);
      });
    }
  }

  /** Lists the runs whose removal time has come. */
  async *listExpired(): AsyncGenerator<RunRecord[]> {
    for await (const due of this.#endedBefore(byKeys.expiring, this.#now())) {
      const found = await mapBounded(due, async ({ key, runId, endedAt: expiresAt }) => {
        const record = await this.#store.read(runId);
        if (record?.expiresAt === expiresAt) return record;
        // The entry was left by a process that crashed while accepting the run, or by a request whose run existed
        // already.
        await this.storage.delete(runNamespaces.byOwner, key);
        return undefined;
      });
      yield found.filter((record) => record !== undefined);
    }
  }

  async *#endedBefore(prefix: string, before: number) {
    for await (const page of scan(this.storage, { namespace: runNamespaces.byOwner, prefix, pageSize })) {
      const due = page.flatMap(({ key }) => {
        const endedAt = timeOf(key);
        return endedAt <= before ? [{ key, endedAt, runId: runIdOf(key) }] : [];
      });
      if (due.length > 0) yield due;
      if (due.length < page.length) return;
    }
  }

  /**
   * Removes stored data of a run without a record, unless a process may still be accepting the run. Returns false if
   * there is no such data.
   */
  async closeOrphan(runId: string): Promise<boolean> {
    const { storage } = this;
    const key = encodeKey(runId);
    const value = await storage.get(runNamespaces.open, key);
    const since = this.#missing.get(runId) ?? this.#now();
    if (value === null) {
      this.#missing.delete(runId);
      return false;
    }
    // A process that accepts the run may still be writing the data that precede the record. The time in the run's entry
    // in the list of open runs does not show this, because the sweep renews that time.
    if (since > this.#now() - orphanMs) {
      this.#missing.set(runId, since);
      return true;
    }
    this.#missing.delete(runId);
    const input = await inputKeys(storage, runId);
    const places = await findPlaces(storage, runId, readOpenRun(value, runId));
    // A process that is accepting the run now has changed its entry in the list of open runs, so that nothing is
    // removed below. That process stores its pieces of the input and its list entries under other keys than the keys
    // found here.
    const claimed = { ...readOpenRun(value, runId), submittedAt: this.#now() };
    await writeInOrder("dropOrphan", {
      claim: () => storage.compareAndSet(runNamespaces.open, key, value, claimed),
      noInput: async () => {
        for (const piece of input) await storage.delete(runNamespaces.input, piece);
      },
      log: () => this.removeLog(runId),
      unplaced: async () => {
        for (const place of places) await storage.delete(runNamespaces.byOwner, place);
      },
      unlisted: async () => {
        if (!(await storage.compareAndSet(runNamespaces.open, key, claimed, null))) return;
        // A process that accepted the run in the meantime relies on its entry in the list of open runs, so the entry is
        // put back.
        if ((await storage.get(runNamespaces.runs, key)) !== null)
          await storage.compareAndSet(runNamespaces.open, key, null, claimed);
      },
    });
    return true;
  }
}

/**
 * Finds the list entries of a run without a record. They are implied by its entry in the list of open runs and, if the
 * run has a user, by the entries of other processes that began to accept it, in the list of its owner.
 */
async function findPlaces(storage: RunStorage, runId: string, open: OpenRun): Promise<string[]> {
  const caller = callerOfOpen(open);
  const found = caller.kind === "anonymous" ? [byKeys.ofAnonymous(caller, runId)] : [];
  found.unshift(...lastingPlaces(open, runId, open));
  const range = { namespace: runNamespaces.byOwner, prefix: byKeys.group(open.owner, "open"), pageSize };
  for await (const page of scan(storage, range)) {
    for (const { key, value } of page) {
      // The run's entries among all runs and in its session's list are removed before this entry, through which they
      // are found.
      if (runIdOf(key) === runId) found.push(...lastingPlaces(open, runId, value as Partial<OpenRun>), key);
    }
  }
  return found;
}

/** Returns the entries of a run among all runs and in the list of its session, as far as they are known. */
function lastingPlaces(
  { owner }: OpenRun,
  runId: string,
  { createdAt, sessionId }: Pick<OpenRun, "createdAt" | "sessionId">,
): string[] {
  if (createdAt === undefined || sessionId === undefined) return [];
  const created = { createdAt, runId };
  return [byKeys.inSession(`${owner}/${encodeKey(sessionId)}`, created), byKeys.ofAll(created)];
}

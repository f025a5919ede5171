import { mapBounded } from "../../base/async/map-bounded.ts";
import type { PublicError } from "../../base/errors/public-error.ts";
import { logKey, logPrefix, runNamespaces } from "../../agents/journal/log-entry.ts";
import type { LogRecord } from "../../agents/journal/log-entry.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { removeAll } from "../../sessions/session/remove-session.ts";
import { scan } from "../../sessions/session/scan.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { Write } from "../../sessions/storage/storage-driver.ts";
import { inOrder, writeInOrder } from "../states/run-transitions.ts";
import { GatheredWrites, writeAll } from "./gathered-writes.ts";
import type { Insert } from "./gathered-writes.ts";
import { OrphanRuns } from "./orphan-runs.ts";
import { isLongInput, removeInput, writeInput } from "./run-input.ts";
import { removeSubscriptions } from "./subscription-record.ts";
import {
  byKeys,
  callerOf,
  groupKeys,
  isEnded,
  isOfEnd,
  readOpenRun,
  readRunRecord,
  runIdOf,
  timeOf,
  toOpenRun,
} from "./run-record.ts";
import type { EndStatus, OpenRun, RunGroup, Running, RunRecord, RunStorage } from "./run-record.ts";

/** The end of a run in the form that its record stores. */
export type StoredEnd = { status: EndStatus; output?: Json; error?: PublicError };

/** An open run that the sweep has found, with the stored value that is compared to renew it. */
export type FoundOpenRun = OpenRun & { runId: string; stored: Json };

const pageSize = 100;

/** Reads and writes the records of durable runs, except their logs. */
export class RunStore {
  readonly storage: RunStorage;
  /** The runs that this process performs, by id, with the values that their records will show. */
  readonly running = new Map<string, Running>();
  readonly #orphans: OrphanRuns;
  readonly #writes: GatheredWrites;
  readonly #now: () => number;
  readonly #isShared: boolean;

  /** @param isShared true if other processes accept runs too: each user's open runs are then listed, to be counted */
  constructor(storage: RunStorage, now: () => number, isShared = false) {
    this.storage = storage;
    this.#isShared = isShared;
    this.#writes = new GatheredWrites(storage);
    this.#orphans = new OrphanRuns({ storage, now, removeLog: (runId) => this.removeLog(runId) });
    this.#now = now;
  }

  /**
   * Stores a new run. Returns false if a run with this id exists.
   *
   * @param first the first record of the log of a run that begins immediately; its input must not be long
   */
  async insert(record: RunRecord, first?: LogRecord): Promise<boolean> {
    if (!isLongInput(record)) return await this.#insert(record, first);
    let inPieces = record;
    await writeInOrder("acceptLong", {
      open: () => this.open(record),
      input: async () => (inPieces = await writeInput(this.storage, record)),
    });
    const isNew = await this.#insert(inPieces);
    if (!isNew) await removeInput(this.storage, record.runId, inPieces.inputPieces?.id);
    return isNew;
  }

  async #insert(record: RunRecord, first?: LogRecord): Promise<boolean> {
    const { runs, open, byOwner, log } = runNamespaces;
    const { runId, sessionId, createdAt, expiresAt, inputBytes } = record;
    const listed = { v: 1, createdAt, sessionId, ...(inputBytes !== undefined && { inputBytes }) };
    const expiring = expiresAt === undefined ? [] : [byKeys.ofExpiring(expiresAt, runId)];
    const writes = inOrder<"accept", Insert>("accept", {
      open: [{ namespace: open, key: encodeKey(runId), value: toOpenRun(record, this.#now()) }],
      places: [
        ...this.#placesOf(record).map((key) => ({ namespace: byOwner, key, value: listed })),
        ...expiring.map((key) => ({ namespace: byOwner, key, value: { v: 1 } })),
      ],
      attempt: first === undefined ? [] : [{ namespace: log, key: logKey(runId, 1), value: asJson(first) }],
      record: [{ namespace: runs, key: encodeKey(runId), value: asJson(record) }],
    });
    const isNew = await this.#writes.insert(writes);
    if (!isNew) await this.#unlist(record);
    return isNew;
  }

  /** Removes a run from the lists to which the process that accepted it first has not added it. */
  async #unlist(record: RunRecord): Promise<void> {
    const stored = await this.#readStored(record.runId);
    if (stored === null) return;
    const places = this.#placesOf(stored);
    for (const key of this.#placesOf(record)) {
      if (!places.includes(key)) await this.storage.delete(runNamespaces.byOwner, key);
    }
  }

  /** Returns the record of a run. For a run of this process it shows if the run is being performed. */
  async read(runId: string): Promise<RunRecord | null> {
    const record = await this.#readStored(runId);
    const running = this.running.get(runId);
    if (record === null || running === undefined || isEnded(record.status)) return record;
    // A run's record that counts this attempt, or a later attempt of another process, is authoritative.
    if (record.attempts >= running.attempts) return record;
    const { waits: _waits, ...rest } = record;
    return { ...rest, status: "running", ...running };
  }

  async #readStored(runId: string): Promise<RunRecord | null> {
    return readRunRecord(await this.storage.get(runNamespaces.runs, encodeKey(runId)), runId);
  }

  /**
   * Changes a run's record, safely with concurrent changes. Returns the new record; `null` if there is no record, or if
   * `change` returns `null` because nothing must be changed.
   */
  async change(
    runId: string,
    change: (record: RunRecord) => RunRecord | null,
    known?: RunRecord,
  ): Promise<RunRecord | null> {
    for (let record = known ?? (await this.#readStored(runId)); record; record = await this.#readStored(runId)) {
      const next = change(record);
      if (next === null) return null;
      const [before, after] = [asJson(record), asJson(next)];
      if (await this.storage.compareAndSet(runNamespaces.runs, encodeKey(runId), before, after)) return next;
    }
    return null;
  }

  /**
   * Stores the end of a run that its log already contains. A run that is over keeps its end.
   *
   * @param known the record as the caller last saw it, which saves a read if it has not changed
   */
  async finish(runId: string, end: StoredEnd & Partial<Running>, known?: RunRecord): Promise<void> {
    const endedAt = this.#now();
    const change = ({ keys: _keys, waits: _waits, waitsUntil: _until, ...record }: RunRecord): RunRecord | null =>
      isEnded(record.status) ? null : { ...record, ...end, endedAt };
    const ended = (await this.change(runId, change, known)) ?? (await this.#readStored(runId));
    if (ended !== null) await this.settle(ended);
  }

  /**
   * Moves an ended run, with a short delay, from the lists of open runs to those of ended runs and of runs to remove.
   */
  async settle(record: RunRecord): Promise<void> {
    const { runId, endedAt = this.#now() } = record;
    const { byOwner } = runNamespaces;
    const [open, ...ended] = groupKeys(record, groupsWithEnd(record));
    const ends = [...ended, byKeys.ofEnded(endedAt, runId)];
    const places = [open ?? [], this.#countKeys(record)].flat();
    const writes = inOrder<"settle", Write>("settle", {
      ends: ends.map((key) => ({ namespace: byOwner, key, value: { v: 1 } })),
      unplaced: places.map((key) => ({ namespace: byOwner, key, value: null })),
      unlisted: [{ namespace: runNamespaces.open, key: encodeKey(runId), value: null }],
    });
    await this.#writes.writeLater(writes);
  }

  /** Makes the gathered writes of all runs immediately. Never rejects. */
  async flush(): Promise<void> {
    await this.#writes.flush();
  }

  /**
   * Stores the waits of a run. Returns `null` if the run is over or a later attempt performs it. The run stays on the
   * list of open runs until `takeOffList`, because an answer may have arrived already.
   */
  async suspend(
    { runId, attempts }: Pick<RunRecord, "runId" | "attempts">,
    waits: readonly RunWait[],
    waitsUntil?: number,
  ): Promise<RunRecord | null> {
    return await this.change(runId, ({ waitsUntil: _before, ...record }) => {
      // The run is over, or a later attempt performs it.
      if (isEnded(record.status) || record.attempts > attempts) return null;
      const waiting: RunRecord = { ...record, status: "waiting", waits: [...waits] };
      waiting.attempts = Math.max(record.attempts, attempts);
      return { ...waiting, ...(waitsUntil !== undefined && { waitsUntil }) };
    });
  }

  /** Returns the entry of a run in the list of open runs, for `takeOffList`. */
  async readOpen(runId: string): Promise<Json | null> {
    return await this.storage.get(runNamespaces.open, encodeKey(runId));
  }

  /**
   * Removes a waiting run from the list of open runs or, with `submittedAt`, lets the sweep find it at that time. Does
   * nothing if the entry has changed since it was read, because the run was woken.
   */
  async takeOffList(record: RunRecord, open: Json | null, submittedAt: number | undefined): Promise<void> {
    const { open: namespace } = runNamespaces;
    const next = submittedAt === undefined ? null : { ...toOpenRun(record, this.#now()), submittedAt };
    if (open !== null) await this.storage.compareAndSet(namespace, encodeKey(record.runId), open, next);
  }

  /** Puts a waiting run back in the queue. Returns null if the run does not wait. */
  async wake(runId: string): Promise<RunRecord | null> {
    const waiting = await this.read(runId);
    if (waiting?.status !== "waiting") return null;
    const change = ({ waits: _waits, waitsUntil: _until, ...record }: RunRecord): RunRecord | null =>
      record.status === "waiting" ? { ...record, status: "queued", activation: record.activation + 1 } : null;
    const woken: { record: RunRecord | null } = { record: null };
    await writeInOrder("wake", {
      open: () => this.open(waiting),
      queued: async () => (woken.record = await this.change(runId, change)) !== null,
      activation: () => woken.record && this.open(woken.record),
    });
    return woken.record;
  }

  /** Adds a run to the list of open runs, as submitted now. */
  async open(record: RunRecord): Promise<void> {
    await this.storage.set(runNamespaces.open, encodeKey(record.runId), toOpenRun(record, this.#now()));
  }

  /**
   * Removes the remains of an open run without a record, left by a process that crashed while accepting the run.
   * Returns false if there are no remains.
   */
  async closeOrphan(runId: string): Promise<boolean> {
    return await this.#orphans.close(runId);
  }

  /** Lists the open runs. Damaged entries are left out and passed to `onError`. */
  async *listOpen(onError: (error: unknown) => void): AsyncGenerator<FoundOpenRun[]> {
    for await (const page of scan(this.storage, { namespace: runNamespaces.open, prefix: "", pageSize })) {
      yield page.flatMap(({ key, value }) => {
        const runId = decodeURIComponent(key);
        try {
          return [{ ...readOpenRun(value, runId), runId, stored: value }];
        } catch (error) {
          onError(error);
          return [];
        }
      });
    }
  }

  /** Marks an open run as submitted now. Returns false if another process was faster. */
  async renew({ runId, stored, ...open }: FoundOpenRun): Promise<boolean> {
    const next = { ...open, submittedAt: this.#now() };
    return await this.storage.compareAndSet(runNamespaces.open, encodeKey(runId), stored, next);
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
    // The list is read before the record: a run in acceptance is on the list of open runs first, and leaves it only
    // once it has a record.
    const mayCome = !isOfEnd(key) && (await this.readOpen(runId)) !== null;
    const record = await this.#readStored(runId);
    if (record === null ? mayCome : this.isPlaceOf(key, record)) return false;
    await this.storage.delete(runNamespaces.byOwner, key);
    return true;
  }

  /** Returns true if a key belongs to a run's entry in a list of open or ended runs, or in its session's list. */
  isPlaceOf(key: string, record: RunRecord): boolean {
    return this.#allPlacesOf(record).includes(key);
  }

  /** Removes a run with all its data. An interrupted removal can be repeated. */
  async remove(record: RunRecord): Promise<void> {
    const { runId, endedAt, expiresAt } = record;
    const { open, byOwner, runs } = runNamespaces;
    await this.flush();
    const ended = endedAt === undefined ? [] : [byKeys.ofEnded(endedAt, runId), byKeys.ofBare(endedAt, runId)];
    const expiring = expiresAt === undefined ? [] : [byKeys.ofExpiring(expiresAt, runId)];
    const listed = [...this.#allPlacesOf(record), ...ended, ...expiring];
    const writes = inOrder<"removeEntries", Write>("removeEntries", {
      unlisted: [{ namespace: open, key: encodeKey(runId), value: null }],
      noRecord: [{ namespace: runs, key: encodeKey(runId), value: null }],
      unplaced: listed.map((key) => ({ namespace: byOwner, key, value: null })),
    });
    const subscriptions = async () => await removeSubscriptions(this.storage, runId);
    await writeInOrder("remove", {
      log: () => this.removeLog(runId),
      subscriptions: record.isSubscribed === true ? subscriptions : undefined,
      entries: () => writeAll(this.storage, writes),
    });
  }

  /** Removes the log and the inbox of a run, and its input if that is stored outside the record. */
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
    await this.flush();
    for await (const runIds of this.#endedBefore(byKeys.ended, logsBefore)) {
      await mapBounded(runIds, async ({ key, runId, endedAt }) => {
        await this.removeLog(runId);
        const bare = { namespace: runNamespaces.byOwner, key: byKeys.ofBare(endedAt, runId), value: { v: 1 } };
        await writeAll(this.storage, [bare, { namespace: runNamespaces.byOwner, key, value: null }]);
      });
    }
    for await (const runIds of this.#endedBefore(byKeys.bare, recordsBefore)) {
      await mapBounded(runIds, async ({ key, runId }) => {
        const record = await this.read(runId);
        if (record === null) await this.storage.delete(runNamespaces.byOwner, key);
        else await this.remove(record);
      });
    }
  }

  /** Returns true if the removal time of a run has come. */
  isExpired({ expiresAt }: RunRecord): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now();
  }

  /** Lists the runs whose removal time has come. */
  async *listExpired(): AsyncGenerator<RunRecord[]> {
    for await (const due of this.#endedBefore(byKeys.expiring, this.#now())) {
      const found = await mapBounded(due, async ({ key, runId, endedAt: expiresAt }) => {
        const record = await this.read(runId);
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

  /** Returns the keys under which an open run is listed: by its session, by its owner, and for counting. */
  #placesOf(record: RunRecord): string[] {
    return [byKeys.ofSession(record), ...groupKeys(record, ["open"]), ...this.#countKeys(record)];
  }

  /** Returns the keys under which an open or ended run is listed. */
  #allPlacesOf(record: RunRecord): string[] {
    return [byKeys.ofSession(record), ...groupKeys(record, groupsWithEnd(record)), ...this.#countKeys(record)];
  }

  /** Returns the key under which an open run is listed for counting, if that is not its owner's list. */
  #countKeys(record: RunRecord): string[] {
    const caller = callerOf(record);
    return this.#isShared && caller.kind === "anonymous" ? [byKeys.ofAnonymous(caller, record.runId)] : [];
  }
}

/**
 * Returns the groups of the owner's list that may contain a run: the open runs and, after its end, the runs with that
 * end.
 */
function groupsWithEnd({ status }: RunRecord): RunGroup[] {
  return isEnded(status) ? ["open", status] : ["open"];
}

/**
 * Returns a record as JSON. Records and log records are JSON except for undefined members, which every driver omits.
 */
function asJson(record: RunRecord | LogRecord): Json {
  return record as unknown as Json;
}

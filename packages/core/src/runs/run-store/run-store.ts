import { mapBounded } from "../../base/async/map-bounded.ts";
import type { PublicError } from "../../base/errors/public-error.ts";
import { logKey, logPrefix, runNamespaces } from "../../agents/journal/log-entry.ts";
import type { LogRecord, RunWait } from "../../agents/journal/log-entry.ts";
import { removeAll } from "../../sessions/session/remove-session.ts";
import { scan } from "../../sessions/session/scan.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { GatheredWrites, writeAll } from "./gathered-writes.ts";
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
} from "./run-record.ts";
import type { EndStatus, OpenRun, RunGroup, Running, RunRecord, RunStorage } from "./run-record.ts";

/** The end of a run, for its record. */
export type StoredEnd = { status: EndStatus; output?: Json; error?: PublicError };

/** An open run that the sweep has found, with the value by which it is renewed. */
export type FoundOpenRun = OpenRun & { runId: string; stored: Json };

const pageSize = 100;

/** Reads and writes the records of durable runs, all but their logs. */
export class RunStore {
  readonly storage: RunStorage;
  /** The runs that this process performs, by id, with what their records are going to say of that. */
  readonly running = new Map<string, Running>();
  readonly #orphans: OrphanRuns;
  readonly #writes: GatheredWrites;
  readonly #now: () => number;
  readonly #isShared: boolean;

  /** @param isShared true when other processes accept runs too: then each user's open runs are listed, to be counted */
  constructor(storage: RunStorage, now: () => number, isShared = false) {
    this.storage = storage;
    this.#isShared = isShared;
    this.#writes = new GatheredWrites(storage);
    this.#orphans = new OrphanRuns({ storage, now, removeLog: (runId) => this.removeLog(runId) });
    this.#now = now;
  }

  /**
   * Stores a new run. Returns false when there is a run with this id.
   *
   * @param first the first record of its log, of a run that begins at once; its input is no long one
   */
  async insert(record: RunRecord, first?: LogRecord): Promise<boolean> {
    if (!isLongInput(record)) return await this.#insert(record, first);
    // On the list of open runs first: if the process ends before the record is there, the sweep finds what it has written.
    await this.open(record);
    const inPieces = await writeInput(this.storage, record);
    const isNew = await this.#insert(inPieces);
    if (!isNew) await removeInput(this.storage, record.runId, inPieces.inputPieces?.id);
    return isNew;
  }

  async #insert(record: RunRecord, first?: LogRecord): Promise<boolean> {
    const { runs, open, byOwner, log } = runNamespaces;
    const { runId, sessionId, createdAt, expiresAt, inputBytes } = record;
    const listed = { v: 1, createdAt, sessionId, ...(inputBytes !== undefined && { inputBytes }) };
    // The record last: one that is there has all the others.
    const writes = [
      { namespace: open, key: encodeKey(runId), value: this.#openRun(record) },
      ...this.#placesOf(record).map((key) => ({ namespace: byOwner, key, value: listed })),
      ...(expiresAt === undefined
        ? []
        : [{ namespace: byOwner, key: byKeys.ofExpiring(expiresAt, runId), value: { v: 1 } }]),
      ...(first === undefined ? [] : [{ namespace: log, key: logKey(runId, 1), value: asJson(first) }]),
      { namespace: runs, key: encodeKey(runId), value: asJson(record) },
    ];
    const isNew = await this.#writes.insert(writes);
    if (!isNew) await this.#unlist(record);
    return isNew;
  }

  /** Takes a run off the lists on which another process, which was first to accept it, has not put it. */
  async #unlist(record: RunRecord): Promise<void> {
    const stored = await this.#readStored(record.runId);
    if (stored === null) return;
    const places = this.#placesOf(stored);
    for (const key of this.#placesOf(record)) {
      if (!places.includes(key)) await this.storage.delete(runNamespaces.byOwner, key);
    }
  }

  /** Returns the record of a run, which says of a run of this process whether it is performed. */
  async read(runId: string): Promise<RunRecord | null> {
    const record = await this.#readStored(runId);
    const running = this.running.get(runId);
    if (record === null || running === undefined || isEnded(record.status)) return record;
    // A record that knows the attempt, or a later one of another process, says itself what became of it.
    if (record.attempts >= running.attempts) return record;
    const { waits: _waits, ...rest } = record;
    return { ...rest, status: "running", ...running };
  }

  async #readStored(runId: string): Promise<RunRecord | null> {
    return readRunRecord(await this.storage.get(runNamespaces.runs, encodeKey(runId)), runId);
  }

  /**
   * Changes a run's record, whatever others change in it meanwhile. Returns the new record; `null` when there is none, or when
   * `change` returns `null` because there is nothing to do.
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
   * Stores the end of a run, whose log has it. A run that is over keeps its end.
   *
   * @param known the record as the caller knows it, which spares a read if it has not changed
   */
  async finish(runId: string, end: StoredEnd & Partial<Running>, known?: RunRecord): Promise<void> {
    const endedAt = this.#now();
    const change = ({ keys: _keys, waits: _waits, waitsUntil: _until, ...record }: RunRecord): RunRecord | null =>
      isEnded(record.status) ? null : { ...record, ...end, endedAt };
    const ended = (await this.change(runId, change, known)) ?? (await this.#readStored(runId));
    if (ended !== null) await this.settle(ended);
  }

  /** Takes a run that is over off the lists of open runs, and puts it on those of ended ones and of runs to remove, soon. */
  async settle(record: RunRecord): Promise<void> {
    const { runId, endedAt = this.#now() } = record;
    const { byOwner } = runNamespaces;
    const [open, ...ended] = groupKeys(record, groupsWithEnd(record));
    // On its new lists before it is off the old ones, and last off the one by which the sweep repeats this.
    await this.#writes.writeLater([
      ...[...ended, byKeys.ofEnded(endedAt, runId)].map((key) => ({ namespace: byOwner, key, value: { v: 1 } })),
      ...[open ?? [], this.#countKeys(record)].flat().map((key) => ({ namespace: byOwner, key, value: null })),
      { namespace: runNamespaces.open, key: encodeKey(runId), value: null },
    ]);
  }

  /** Makes the writes that wait for others. Never rejects. */
  async flush(): Promise<void> {
    await this.#writes.flush();
  }

  /** Stores what a run waits for. It stays on the list of open runs, until `rest`: an answer may be there already. */
  async suspend(
    { runId, attempts }: Pick<RunRecord, "runId" | "attempts">,
    waits: readonly RunWait[],
    waitsUntil?: number,
  ): Promise<RunRecord | null> {
    return await this.change(runId, ({ waitsUntil: _before, ...record }) => {
      // A later attempt has the run.
      if (isEnded(record.status) || record.attempts > attempts) return null;
      return { ...record, status: "waiting", waits: [...waits], ...(waitsUntil !== undefined && { waitsUntil }) };
    });
  }

  /** Returns the entry of a run in the list of open runs, for `rest`. */
  async readOpen(runId: string): Promise<Json | null> {
    return await this.storage.get(runNamespaces.open, encodeKey(runId));
  }

  /**
   * Takes a waiting run off the list of open runs or, with `submittedAt`, lets the sweep find it then. Does nothing when the
   * entry has changed since it was read: the run was woken.
   */
  async takeOffList(record: RunRecord, open: Json | null, submittedAt: number | undefined): Promise<void> {
    const { open: namespace } = runNamespaces;
    const next = submittedAt === undefined ? null : { ...this.#openRun(record), submittedAt };
    if (open !== null) await this.storage.compareAndSet(namespace, encodeKey(record.runId), open, next);
  }

  /** Puts a waiting run back in the queue. Returns null when it does not wait. */
  async wake(runId: string): Promise<RunRecord | null> {
    const waiting = await this.read(runId);
    if (waiting?.status !== "waiting") return null;
    // First the list: of a run that is not on it no other process would know. With its new activation once the record has it.
    await this.open(waiting);
    const woken = await this.change(
      runId,
      ({ waits: _waits, waitsUntil: _until, ...record }: RunRecord): RunRecord | null =>
        record.status === "waiting" ? { ...record, status: "queued", activation: record.activation + 1 } : null,
    );
    if (woken !== null) await this.open(woken);
    return woken;
  }

  /** Puts a run on the list of open runs, as submitted now. */
  async open(record: RunRecord): Promise<void> {
    await this.storage.set(runNamespaces.open, encodeKey(record.runId), this.#openRun(record));
  }

  /**
   * Removes what is left of an open run that has no record, by a process that died while it accepted the run. Returns false when
   * there is nothing of such a run.
   */
  async closeOrphan(runId: string): Promise<boolean> {
    return await this.#orphans.close(runId);
  }

  /** Lists the open runs. Damaged entries are left out, and given to `onError`. */
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

  /** Marks an open run as submitted now. Returns false when another process did. */
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

  /** Lists the entries below a prefix of `run-by`, in the order of the keys. */
  async *listEntries(prefix: string): AsyncGenerator<{ key: string; runId: string }[]> {
    for await (const page of scan(this.storage, { namespace: runNamespaces.byOwner, prefix, pageSize })) {
      yield page.map(({ key }) => ({ key, runId: runIdOf(key) }));
    }
  }

  /**
   * Removes an entry of a list if its run is not there, or has another place: a process died while it accepted or removed the
   * run, or stored the end of one that another process removed. Returns false for an entry that is right, or that may be about to
   * get its record.
   */
  async dropEntry(key: string): Promise<boolean> {
    const runId = runIdOf(key);
    // In this order: a run that is being accepted is on the list of open runs first, and off it only once it has a record.
    const mayCome = !isOfEnd(key) && (await this.readOpen(runId)) !== null;
    const record = await this.#readStored(runId);
    if (record === null ? mayCome : this.isPlaceOf(key, record)) return false;
    await this.storage.delete(runNamespaces.byOwner, key);
    return true;
  }

  /** Tells if a key is that of an entry of a run in a list of open or ended runs, or in that of its session. */
  isPlaceOf(key: string, record: RunRecord): boolean {
    return this.#allPlacesOf(record).includes(key);
  }

  /**
   * Removes a run with all that belongs to it. Its record goes before its places: a removal that was cut short finds the run there
   * when it is repeated, and places without a record are removed by those that read them.
   */
  async remove(record: RunRecord): Promise<void> {
    const { runId, endedAt, expiresAt } = record;
    const { open, byOwner, runs } = runNamespaces;
    await this.flush();
    await this.removeLog(runId);
    if (record.isSubscribed === true) await removeSubscriptions(this.storage, runId);
    const ended = endedAt === undefined ? [] : [byKeys.ofEnded(endedAt, runId), byKeys.ofBare(endedAt, runId)];
    const expiring = expiresAt === undefined ? [] : [byKeys.ofExpiring(expiresAt, runId)];
    const listed = [...this.#allPlacesOf(record), ...ended, ...expiring];
    await writeAll(this.storage, [
      { namespace: open, key: encodeKey(runId), value: null },
      { namespace: runs, key: encodeKey(runId), value: null },
      ...listed.map((key) => ({ namespace: byOwner, key, value: null })),
    ]);
  }

  /** Removes the log and the inbox of a run, and its input if that lies beside the record. */
  async removeLog(runId: string): Promise<void> {
    await removeInput(this.storage, runId);
    await removeAll(this.storage, runNamespaces.log, logPrefix(runId));
    await removeAll(this.storage, runNamespaces.inbox, logPrefix(runId));
  }

  /** Removes the logs of runs that ended before one time, and the rest of those that ended before another. */
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

  /** Returns whether the time of a run is over: it is about to be removed. */
  isExpired({ expiresAt }: RunRecord): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now();
  }

  /** Lists the runs whose time is over. */
  async *listExpired(): AsyncGenerator<RunRecord[]> {
    for await (const due of this.#endedBefore(byKeys.expiring, this.#now())) {
      const found = await mapBounded(due, async ({ key, runId, endedAt: expiresAt }) => {
        const record = await this.read(runId);
        if (record?.expiresAt === expiresAt) return record;
        // Left by a process that died while it accepted the run, or by a request whose run there was already.
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

  /** Returns the keys under which an open run is listed: by its session, by its owner, and to be counted. */
  #placesOf(record: RunRecord): string[] {
    return [byKeys.ofSession(record), ...groupKeys(record, ["open"]), ...this.#countKeys(record)];
  }

  /** Returns the keys under which an open or ended run is listed. */
  #allPlacesOf(record: RunRecord): string[] {
    return [byKeys.ofSession(record), ...groupKeys(record, groupsWithEnd(record)), ...this.#countKeys(record)];
  }

  /** Returns the key under which an open run is listed to be counted, if that is not its owner's list. */
  #countKeys(record: RunRecord): string[] {
    const caller = callerOf(record);
    return this.#isShared && caller.kind === "anonymous" ? [byKeys.ofAnonymous(caller, record.runId)] : [];
  }

  #openRun(record: RunRecord): OpenRun {
    const { activation, priority, notBefore, owner, anonymous, inputBytes, status, waits, sessionId, createdAt } =
      record;
    const waitsForUpgrade = status === "waiting" && waits?.[0]?.kind === "upgrade";
    return {
      v: 1,
      submittedAt: this.#now(),
      activation,
      priority,
      owner: ownerKey(owner),
      sessionId,
      createdAt,
      ...(anonymous !== undefined && { anonymous }),
      ...(inputBytes !== undefined && { inputBytes }),
      ...(notBefore !== undefined && { notBefore }),
      ...(waitsForUpgrade && { waitsForUpgrade }),
    };
  }
}

/** Returns the groups of its owner's list in which a run may be: the open ones, and after its end those with that. */
function groupsWithEnd({ status }: RunRecord): RunGroup[] {
  return isEnded(status) ? ["open", status] : ["open"];
}

/** Records and log records are JSON but for members that are undefined, which every driver leaves out. */
function asJson(record: RunRecord | LogRecord): Json {
  return record as unknown as Json;
}

import { logKey, runNamespaces } from "../../agents/journal/log-entry.ts";
import type { LogRecord } from "../../agents/journal/log-entry.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { sessionKey } from "../../sessions/session/session-keys.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { Write } from "../../sessions/storage/storage-driver.ts";
import { GatheredWrites, inOrder, writeInOrder } from "./run-writes.ts";
import type { Insert } from "./run-writes.ts";
import { RunLists } from "./run-lists.ts";
import { OpenRuns, toOpenRun } from "./open-runs.ts";
import { isLongInput, removeInput, writeInput } from "./run-input.ts";
import type { Running, RunRecord, RunStorage, StoredEnd } from "./run-record.ts";
import { byKeys, groupKeys, groupsWithEnd } from "./run-keys.ts";
import { isEnded, readStoredRun } from "./run-record.ts";

/** Reports the ends and waits of runs to webhooks. */
export interface RunNotifier {
  /** Returns the record of a run after a change of its state, with a notice if webhooks report that change. */
  note(next: RunRecord): RunRecord;
  /** Puts the deliveries of all notices of a record in the outbox, and then removes the notices from the record. */
  enqueue(record: RunRecord): Promise<void>;
}

/** Reads and writes the records of durable runs, except their logs. */
export class RunStore {
  readonly storage: RunStorage;
  /**
   * The runs that this process performs, by id, with the facts about their attempt that their records show a little
   * later.
   */
  readonly running = new Map<string, Running>();
  /** The list from which a periodic sweep continues open runs. */
  readonly openRuns: OpenRuns;
  /** The lists that show the runs, and the removal of runs from them. */
  readonly lists: RunLists;
  /** Reports the ends and waits of runs to webhooks. Set by the service. */
  notifier: RunNotifier | undefined;
  readonly #writes: GatheredWrites;
  readonly #now: () => number;

  /** @param isShared true if other processes accept runs too: each user's open runs are then listed, to be counted */
  constructor(storage: RunStorage, now: () => number, isShared = false) {
    this.storage = storage;
    this.#writes = new GatheredWrites(storage);
    this.openRuns = new OpenRuns(storage, now);
    this.lists = new RunLists(this, { now, isShared });
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
      open: () => this.openRuns.add(record),
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
    const session = sessionKey(record.owner, sessionId);
    const bare = [byKeys.ofSession(record)];
    if (expiresAt !== undefined) bare.push(byKeys.ofExpiring(expiresAt, runId));
    const writes = inOrder<"accept", Insert>("accept", {
      open: [{ namespace: open, key: encodeKey(runId), value: toOpenRun(record, this.#now()) }],
      places: [
        ...this.lists.places.counted(record).map((key) => ({ namespace: byOwner, key, value: listed })),
        { namespace: byOwner, key: byKeys.ofAll(record), value: { v: 1, session } },
        ...bare.map((key) => ({ namespace: byOwner, key, value: { v: 1 } })),
      ],
      attempt: first === undefined ? [] : [{ namespace: log, key: logKey(runId, 1), value: asJson(first) }],
      record: [{ namespace: runs, key: encodeKey(runId), value: asJson(record) }],
    });
    const isNew = await this.#writes.insert(writes);
    if (!isNew) await this.#unlist(record);
    return isNew;
  }

  /**
   * Removes the list entries that this process wrote for a run before it found that another process had accepted the
   * run, except entries that the other process wrote too.
   */
  async #unlist(record: RunRecord): Promise<void> {
    const stored = await this.readStored(record.runId);
    if (stored === null) return;
    const places = this.lists.places.ofOpen(stored);
    for (const key of this.lists.places.ofOpen(record)) {
      if (!places.includes(key)) await this.storage.delete(runNamespaces.byOwner, key);
    }
  }

  /** Returns the record of a run. For a run of this process it shows if the run is being performed. */
  async read(runId: string): Promise<RunRecord | null> {
    const record = await this.readStored(runId);
    const running = this.running.get(runId);
    if (record === null || running === undefined || isEnded(record.status)) return record;
    // A run's record that counts this attempt, or a later attempt of another process, is authoritative.
    if (record.attempts >= running.attempts) return record;
    const { waits: _waits, ...rest } = record;
    return { ...rest, status: "running", ...running };
  }

  /** Returns the record of a run as it is stored. */
  async readStored(runId: string): Promise<RunRecord | null> {
    return await readStoredRun(this.storage, runId);
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
    for (let record = known ?? (await this.readStored(runId)); record; record = await this.readStored(runId)) {
      const next = change(record);
      if (next === null) return null;
      const [before, after] = [asJson(record), asJson(next)];
      if (await this.storage.compareAndSet(runNamespaces.runs, encodeKey(runId), before, after)) return next;
    }
    return null;
  }

  /**
   * Stores in the run's record the end that its log already contains. A run that is over keeps its end.
   *
   * @param known the record as the caller last saw it, which saves a read if it has not changed
   */
  async finish(runId: string, end: StoredEnd & Partial<Running>, known?: RunRecord): Promise<void> {
    const endedAt = this.#now();
    const change = ({ keys: _keys, waits: _waits, waitsUntil: _until, ...record }: RunRecord): RunRecord | null =>
      isEnded(record.status) ? null : this.#note({ ...record, ...end, endedAt });
    const ended = (await this.change(runId, change, known)) ?? (await this.readStored(runId));
    if (ended !== null) await this.settle(ended);
  }

  /**
   * Moves an ended run, with a short delay, from the lists of open runs to the lists of ended runs and of runs to
   * remove.
   */
  async settle(record: RunRecord): Promise<void> {
    const { runId, endedAt = this.#now() } = record;
    const { byOwner } = runNamespaces;
    await this.notify(record);
    const [open, ...ended] = groupKeys(record, groupsWithEnd(record));
    const ends = [...ended, byKeys.ofEnded(endedAt, runId)];
    const places = [open ?? [], this.lists.places.onlyCounted(record)].flat();
    const writes = inOrder<"settle", Write>("settle", {
      ends: ends.map((key) => ({ namespace: byOwner, key, value: { v: 1 } })),
      unplaced: places.map((key) => ({ namespace: byOwner, key, value: null })),
      unlisted: [{ namespace: runNamespaces.open, key: encodeKey(runId), value: null }],
    });
    await this.#writes.writeLater(writes);
  }

  /** Immediately makes the writes that wait to be sent to the storage together. Never rejects. */
  async flush(): Promise<void> {
    await this.#writes.flush();
  }

  /**
   * Stores the waits of a run. Returns `null` if the run is over or a later attempt performs it. The run stays on the
   * list of open runs until it is removed from it, because an answer may have arrived already.
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
      return this.#note({ ...waiting, ...(waitsUntil !== undefined && { waitsUntil }) });
    });
  }

  /**
   * Changes the record of a run whose attempt is performed now, and notifies its subscriptions. The attempt does not
   * wait for that: the next transition repeats it.
   */
  async noteRunning(
    runId: string,
    change: (record: RunRecord) => RunRecord | null,
    known: RunRecord,
  ): Promise<RunRecord | null> {
    const noted = await this.change(
      runId,
      (record) => {
        const next = change(record);
        return next && this.#note(next);
      },
      known,
    );
    if (noted !== null) void this.notify(noted).catch(() => undefined);
    return noted;
  }

  #note(next: RunRecord): RunRecord {
    return this.notifier?.note(next) ?? next;
  }

  /**
   * Puts the deliveries for the changes that a run's record marks in the outbox: `notices` are for webhooks, `wakes` is
   * for subscriptions. A run leaves the list of open runs only afterwards, so that the periodic sweep of that list
   * repeats this after a crash.
   */
  async notify(record: RunRecord): Promise<void> {
    if (record.notices !== undefined || record.wakes !== undefined) await this.notifier?.enqueue(record);
  }

  /**
   * Puts a waiting run back in the queue. Returns null if the run does not wait. The run is already in the list of open
   * runs, because it is listed before a message to it is stored.
   *
   * @param known the record as the caller last saw it, which saves a read if it has not changed
   */
  async wake(runId: string, known?: RunRecord): Promise<RunRecord | null> {
    const change = ({ waits: _waits, waitsUntil: _until, ...record }: RunRecord): RunRecord | null =>
      record.status === "waiting" ? { ...record, status: "queued", activation: record.activation + 1 } : null;
    const woken: { record: RunRecord | null } = { record: null };
    await writeInOrder("wake", {
      queued: async () => (woken.record = await this.change(runId, change, known)) !== null,
      activation: () => woken.record && this.openRuns.relist(woken.record),
    });
    return woken.record;
  }

  /** Returns true if the removal time of a run has come. */
  isExpired({ expiresAt }: RunRecord): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now();
  }
}

/**
 * Returns a record as JSON. Records and log records are JSON except for undefined members, which every driver omits.
 */
function asJson(record: RunRecord | LogRecord): Json {
  return record as unknown as Json;
}

import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { anonymousCaller, hostCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { scan } from "../../sessions/session/scan.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { ownerKey, userOfKey } from "../../sessions/storage/owner-key.ts";
import type { OwnerKey } from "../../sessions/storage/owner-key.ts";
import { isCount, readRecord } from "../../sessions/storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { isEnded, readStoredRun } from "./run-record.ts";
import type { RunRecord, RunStorage } from "./run-record.ts";

/**
 * The entry of a run in the list of open runs, from which a periodic sweep submits it again if no process performs it.
 * A run that waits for an answer without a time limit has none.
 */
export type OpenRun = {
  v: 1;
  /**
   * The time at which the run was last submitted, or the future time at which a waiting run must be submitted again.
   */
  submittedAt: number;
  /** True if `submittedAt` is intentionally in the future. Otherwise a future time comes from a wrong clock. */
  isTimed?: boolean;
  /**
   * The time at which a process was about to store a message to the run: an answer, a signal or its cancellation. An
   * attempt that suspends the run does not remove an entry with this time; the sweep does.
   */
  heldAt?: number;
  activation: number;
  priority: number;
  notBefore?: number;
  /** True for a run that waits for a process with the tools, steps or keys that were missing. */
  waitsForUpgrade?: boolean;
  /** The part of storage keys that names the run's owner. */
  owner: OwnerKey;
  /** The session id, as in the run's record. Missing in entries of an earlier release. */
  sessionId?: string;
  createdAt?: number;
  anonymous?: string;
  inputBytes?: number;
};

/**
 * An open run that the periodic sweep has found, with its stored entry, which the sweep renews only if it is unchanged.
 */
export type FoundOpenRun = OpenRun & { runId: string; stored: Json };

/**
 * Before a process stores a message to a run (an answer, a signal or a cancellation), it holds the run's entry in the
 * list of open runs. After these milliseconds it can no longer be storing the message.
 */
const longestMessageMs = 10_000;
/** The number of entries that are read at once. */
const pageSize = 100;

/**
 * The list of open runs in a storage. From it, a periodic sweep continues runs that no process performs. A run without
 * an entry is over, or waits for a message without a time limit.
 */
export class OpenRuns {
  readonly #storage: RunStorage;
  readonly #now: () => number;

  constructor(storage: RunStorage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  /** Lists the open runs. Damaged entries are omitted and passed to `onError`. */
  async *list(onError: (error: unknown) => void): AsyncGenerator<FoundOpenRun[]> {
    for await (const page of scan(this.#storage, { namespace: runNamespaces.open, prefix: "", pageSize })) {
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
  async renew({ runId, stored, isTimed: _isTimed, heldAt, ...open }: FoundOpenRun): Promise<boolean> {
    const submittedAt = this.#now();
    const isHeld = heldAt !== undefined && submittedAt - heldAt < longestMessageMs;
    const next = { ...open, submittedAt, ...(isHeld && { heldAt }) };
    return await this.#storage.compareAndSet(runNamespaces.open, encodeKey(runId), stored, next);
  }

  /** Returns the stored entry of a run, for `removeWaiting`. */
  async read(runId: string): Promise<Json | null> {
    return await this.#storage.get(runNamespaces.open, encodeKey(runId));
  }

  /** Adds a run, as submitted now. */
  async add(record: RunRecord): Promise<void> {
    await this.#storage.set(runNamespaces.open, encodeKey(record.runId), toOpenRun(record, this.#now()));
  }

  /**
   * Marks the entry of a run as held, or adds such an entry, before a message to the run is stored: an answer, a signal
   * or its cancellation. An attempt that suspends the run, and has not found the message yet, leaves a held entry in the
   * list, so that the sweep finds the message. Another process may continue the run at the same time: its newer entry is kept and marked.
   */
  async hold(record: RunRecord): Promise<void> {
    const [namespace, key, heldAt] = [runNamespaces.open, encodeKey(record.runId), this.#now()];
    for (;;) {
      const stored = await this.#storage.get(namespace, key);
      if (await this.#storage.compareAndSet(namespace, key, stored, toHeld(stored, record, heldAt))) return;
    }
  }

  /**
   * Removes a waiting run or, with `submittedAt`, lets the periodic sweep find it at that
   * time. Does nothing if the entry has changed since it was read, because the run was put back in the queue, or if it
   * is held for an answer.
   */
  async removeWaiting(record: RunRecord, open: Json | null, submittedAt: number | undefined): Promise<void> {
    const { open: namespace } = runNamespaces;
    const next = submittedAt === undefined ? null : { ...toOpenRun(record, submittedAt), isTimed: true };
    if (open === null || readOpenRun(open, record.runId).heldAt !== undefined) return;
    await this.#storage.compareAndSet(namespace, encodeKey(record.runId), open, next);
  }

  /**
   * Updates the entry of a run after a change of the run's record, as submitted now. Returns false if another process
   * was faster: it has updated the entry, or it has performed the run and removed the entry. A run that has ended
   * meanwhile is not listed again.
   */
  async relist(record: RunRecord): Promise<boolean> {
    const { open } = runNamespaces;
    const [key, next] = [encodeKey(record.runId), toOpenRun(record, this.#now())];
    for (;;) {
      const entry = await this.#storage.get(open, key);
      const isDone =
        entry === null ? !(await this.#mustBeListed(record)) : isAsNew(readOpenRun(entry, record.runId), next);
      if (isDone) return false;
      if (!(await this.#storage.compareAndSet(open, key, entry, next))) continue;
      // Only a run without an entry may have left the list after its record was read, and ended.
      if (entry === null && isOver(await readStoredRun(this.#storage, record.runId)))
        await this.#storage.compareAndSet(open, key, next, null);
      return true;
    }
  }

  /** Returns true if a run without an entry is still in the state of the given record. */
  async #mustBeListed(record: RunRecord): Promise<boolean> {
    const current = await readStoredRun(this.#storage, record.runId);
    if (current === null || isOver(current) || current.activation !== record.activation) return false;
    return current.status !== "waiting" || record.status === "waiting";
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

/** Returns true if a run has ended or was removed. */
function isOver(record: RunRecord | null): boolean {
  return record === null || isEnded(record.status);
}

/** Returns true if a stored entry in the list of open runs is as new as the next entry of the same run. */
function isAsNew(stored: OpenRun, next: OpenRun): boolean {
  return stored.activation >= next.activation && (stored.waitsForUpgrade === true || next.waitsForUpgrade !== true);
}

/** Returns a stored record of an open run after a check of its shape. */
export function readOpenRun(value: Json, runId: string): OpenRun {
  return readRecord(value, { namespace: runNamespaces.open, key: runId }, isOpenRun);
}

/** Makes the entry of a run in the list of open runs. */
export function toOpenRun(record: RunRecord, submittedAt: number): OpenRun {
  const { activation, priority, notBefore, owner, anonymous, inputBytes, status, waits, sessionId, createdAt } = record;
  const waitsForUpgrade = status === "waiting" && waits?.[0]?.kind === "upgrade";
  return {
    v: 1,
    submittedAt,
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

/** Returns the caller of an open run, from its entry in the list of open runs. */
export function callerOfOpen({ owner, anonymous }: Pick<OpenRun, "owner" | "anonymous">): CountedCaller {
  if (anonymous !== undefined) return anonymousCaller(anonymous);
  const user = userOfKey(owner);
  if (user === "claimed") return anonymousCaller();
  return user === "none" ? hostCaller : { kind: "user", key: owner };
}

function isOpenRun(value: unknown): value is OpenRun {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    Number.isFinite(value["submittedAt"]) &&
    isCount(value["activation"]) &&
    typeof value["owner"] === "string"
  );
}

import { sessionKey } from "../../sessions/session/session-keys.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { CallerKey, CountedCaller } from "../../sessions/session/counted-caller.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { callerOf, isEnded } from "./run-record.ts";
import type { EndStatus, RunRecord } from "./run-record.ts";
import type { RunStatus } from "./run-view.ts";

/** A group in the list of an owner's runs: the open runs, or the runs with one kind of end. */
export type RunGroup = "open" | EndStatus;

/**
 * The groups in the order in which they must be read. A run that ends joins the group of its end before it leaves the
 * open runs, so a reader of both finds it at least once.
 */
export const runGroups = ["open", "completed", "error", "cancelled"] as const satisfies readonly RunGroup[];

/**
 * Keys in the namespace `run-by`. Runs of an owner or session are sorted newest first; ended runs, and runs with a
 * removal time, in the order of removal. Keys that begin with `#` belong to the service: the key of an owner never
 * does, because `#` is encoded in it.
 */
export const byKeys = {
  /** @param owner the part of storage keys that names the owner */
  group: (owner: CallerKey, group: RunGroup): string => `${owner}/${group}/`,
  sessionsOf: (owner: SessionOwner): string => `#session/${ownerKey(owner)}/`,
  session: (owner: SessionOwner, sessionId: string): string => `#session/${sessionKey(owner, sessionId)}/`,
  ofSession: (record: RunRecord): string => byKeys.inSession(sessionKey(record.owner, record.sessionId), record),
  /** @param session the storage key of the session */
  inSession: (session: string, { createdAt, runId }: Pick<RunRecord, "createdAt" | "runId">): string =>
    `#session/${session}/${time(lastTime - createdAt)}/${encodeKey(runId)}`,
  /** Prefix of the list of all runs, newest first, for the host. */
  all: "#all/",
  ofAll: (run: Pick<RunRecord, "createdAt" | "runId">): string => `#all/${placeOf(run)}`,
  /**
   * Prefix of the keys of runs that have not ended, of callers without a verified user. Used if several processes accept
   * runs, because each of them has to count all such runs.
   */
  anonymous: "#anonymous/",
  ofAnonymous: (caller: CountedCaller, runId: string): string => byKeys.openOf(caller) + encodeKey(runId),
  /** Returns the prefix of the open runs of a caller, including runs that wait for an answer. */
  openOf: ({ kind, key }: CountedCaller): string =>
    kind === "anonymous" ? `#anonymous/${encodeKey(key)}/` : byKeys.group(key, "open"),
  /** Prefix of the ended runs that still have a log. */
  ended: "#ended/",
  ofEnded: (endedAt: number, runId: string): string => `#ended/${time(endedAt)}/${encodeKey(runId)}`,
  /** Prefix of the ended runs whose log was removed. */
  bare: "#bare/",
  ofBare: (endedAt: number, runId: string): string => `#bare/${time(endedAt)}/${encodeKey(runId)}`,
  /** Prefix of the runs with their own removal time. */
  expiring: "#expires/",
  ofExpiring: (expiresAt: number, runId: string): string => `#expires/${time(expiresAt)}/${encodeKey(runId)}`,
} as const;

/**
 * Returns the keys of a run in groups of its owner's list. A run without a user is in no list, because lists are
 * per user.
 */
export function groupKeys(record: RunRecord, groups: readonly RunGroup[]): string[] {
  if (record.owner.userId === undefined) return [];
  const [owner, place] = [ownerKey(record.owner), placeOf(record)];
  return groups.map((group) => byKeys.group(owner, group) + place);
}

/**
 * Returns the groups of the owner's list that may contain a run: the open runs, and the runs with the same end as this
 * run.
 */
export function groupsWithEnd({ status }: RunRecord): RunGroup[] {
  return isEnded(status) ? ["open", status] : ["open"];
}

/** Returns the sort key of a run among its owner's runs: newest first, and runs of the same millisecond by id. */
export function placeOf({ createdAt, runId }: Pick<RunRecord, "createdAt" | "runId">): string {
  // The parts are joined by a dot and not a slash, because storage in memory would create a folder for each part.
  return `${time(lastTime - createdAt)}.${encodeKey(runId)}`;
}

/** Makes the storage keys of a run's entries in the lists of runs from the run's record. */
export class RunPlaces {
  readonly #isShared: boolean;

  /** @param isShared true if each user's open runs are listed, to be counted by several processes */
  constructor(isShared: boolean) {
    this.#isShared = isShared;
  }

  /**
   * Returns the keys under which an open run is listed: by its owner, for counting, by its session, and among all runs.
   * The key among all runs is last, because removal starts from it to find the entry in the session's list.
   */
  ofOpen(record: RunRecord): string[] {
    return [...this.counted(record), byKeys.ofSession(record), byKeys.ofAll(record)];
  }

  /**
   * Returns the keys of an open run in the lists that are counted: the list of its owner, or the list of an anonymous
   * caller.
   */
  counted(record: RunRecord): string[] {
    return [...groupKeys(record, ["open"]), ...this.onlyCounted(record)];
  }

  /** Returns the key under which an open run is listed for counting, if that is not its owner's list. */
  onlyCounted(record: RunRecord): string[] {
    const caller = callerOf(record);
    return this.#isShared && caller.kind === "anonymous" ? [byKeys.ofAnonymous(caller, record.runId)] : [];
  }

  /** Returns the keys under which an open or ended run is listed. */
  all(record: RunRecord): string[] {
    const groups = groupKeys(record, groupsWithEnd(record));
    return [...groups, ...this.onlyCounted(record), byKeys.ofSession(record), byKeys.ofAll(record)];
  }

  /** Returns true if a key belongs to a run's entry in a list of open or ended runs, of its session, or of all runs. */
  has(key: string, record: RunRecord): boolean {
    return this.all(record).includes(key);
  }
}

/** Returns the time in the key of an ended run or of a run with a removal time, in epoch milliseconds. */
export function timeOf(key: string): number {
  return Number(key.split("/")[1]);
}

/** Returns the time of creation in the key of a run among all runs, in epoch milliseconds. */
export function createdAtOf(key: string): number {
  return lastTime - Number.parseInt(key.slice(byKeys.all.length), 10);
}

/** Returns true if a key belongs to an entry in the list of an owner's ended runs. */
export function isOfEnd(key: string): boolean {
  return !key.startsWith("#") && isEnded(key.split("/").at(-2) as RunStatus);
}

/** Returns the id of the run at the end of a key. */
export function runIdOf(key: string): string {
  const last = key.slice(key.lastIndexOf("/") + 1);
  return decodeURIComponent(placeForm.test(last) ? last.slice(last.indexOf(".") + 1) : last);
}

const lastTime = 999_999_999_999_999;
const placeForm = /^\d{15}\./;

function time(ms: number): string {
  return String(Math.trunc(ms)).padStart(15, "0");
}

import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { PublicError } from "../../base/errors/public-error.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { anonymousCaller, countedCaller, hostCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { isCount, readRecord } from "../../sessions/storage/stored-record.ts";
import type { TraceContext } from "../../base/telemetry/telemetry.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { PlanPrint } from "./plan-print.ts";
import type { NotedEvents } from "./run-notice.ts";
import { runStatuses } from "./run-view.ts";
import type { DurableRunOptions, RunKind, RunStatus, RunView } from "./run-view.ts";

/** A storage that can hold durable runs, because it has `compareAndSet`. */
export type RunStorage = StorageDriver & Required<Pick<StorageDriver, "compareAndSet">>;

/** Reference to a run's input and options in pieces: an id of the write, and the number of pieces. */
export type InputPieces = { readonly id: string; readonly count: number };

/** The stored record of a durable run. Times are epoch milliseconds. */
export type RunRecord = NotedEvents & {
  v: 1;
  runId: string;
  kind: RunKind;
  name: string;
  owner: SessionOwner;
  sessionId: string;
  /** True for a session that was created for this run. */
  isNewSession?: boolean;
  /** True if callers without a user may access the run by its id. */
  isBearer?: boolean;
  /**
   * The key of a caller without a verified user, by which its open runs are counted. Absent for users and the program.
   */
  anonymous?: string;
  /** The bytes of the input of such an anonymous caller's run, if the input is long. */
  inputBytes?: number;
  /** The input. If `inputPieces` is set, it is absent and the options are empty. */
  input?: Json;
  options: DurableRunOptions;
  /** Reference to an input and options that are too long for a record. */
  inputPieces?: InputPieces;
  /** The tags in the metadata, which are kept here because a long input takes the options with it. */
  tags?: string[];
  /** Hash of the request, if it had an idempotency key. */
  fingerprint?: string;
  createdAt: number;
  /** The time at which the run is removed, whatever its status. */
  expiresAt?: number;
  priority: number;
  notBefore?: number;
  /** The number of times that the run was put into the queue: when it was accepted, and after each answer. */
  activation: number;
  status: RunStatus;
  attempts: number;
  /** The name of the process of the last attempt. Missing in records of an earlier release. */
  node?: string;
  startedAt?: number;
  endedAt?: number;
  waits?: RunWait[];
  /** The time at which the run ends if it is still waiting. */
  waitsUntil?: number;
  /** The fingerprint of the tools and steps that the run was last performed with. */
  plan: PlanPrint;
  /**
   * The caller's keys, sealed; `""` if they are in the memory of the process. Absent without keys, and after the end.
   */
  keys?: string;
  output?: Json;
  error?: PublicError;
  note?: Json;
  /** The trace that the run belongs to, if it is recorded. Every attempt is a child of this context. */
  trace?: TraceContext;
  /** The trace context of the last attempt that was noted in the record; the next attempt's trace is linked to it. */
  attemptTrace?: TraceContext;
  /** True once the run has had a subscription. Its subscriptions are removed with it. */
  isSubscribed?: boolean;
};

/** The part of a run's record about the attempt that performs it. */
export type Running = Required<Pick<RunRecord, "attempts" | "node" | "startedAt" | "plan">>;

/** The statuses of a run after its end. */
export type EndStatus = "completed" | "error" | "cancelled";

/** Returns true if a run with this status is over. */
export function isEnded(status: RunStatus): status is EndStatus {
  return status === "completed" || status === "error" || status === "cancelled";
}

/** The end of a run in the form that its record stores. */
export type StoredEnd = { status: EndStatus; output?: Json; error?: PublicError };

/** Returns the record of a run as it is stored; `null` if it is missing. */
export async function readStoredRun(storage: RunStorage, runId: string): Promise<RunRecord | null> {
  return readRunRecord(await storage.get(runNamespaces.runs, encodeKey(runId)), runId);
}

/** Returns a stored run record after a check of its shape; `null` if it is missing. */
export function readRunRecord(value: Json | null, runId: string): RunRecord | null {
  if (value === null) return null;
  return readRecord(value, { namespace: runNamespaces.runs, key: runId }, isRunRecord);
}

/** Returns the part of a run's record that its owner may see. Ended runs are kept for `recordMs` milliseconds. */
export function toView(record: RunRecord, recordMs: number): RunView {
  const { runId, kind, name, sessionId, status, createdAt, startedAt, endedAt, attempts } = record;
  const { node, waits, output, error, note, tags } = record;
  return {
    runId,
    kind,
    name,
    sessionId,
    status,
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    attempts,
    ...(node !== undefined && { node }),
    ...expiryOf(record, recordMs),
    ...(status === "waiting" && waits !== undefined && { waits }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(note !== undefined && { note }),
    ...(tags !== undefined && { tags }),
  };
}

/** The maximum number of tags of a run, and of characters of a tag. Others are left out. */
const [mostTags, longestTag] = [20, 64];

/** Returns the tags in the metadata of a run, each once; undefined if it has none. */
export function tagsOf(metadata: DurableRunOptions["metadata"]): string[] | undefined {
  const given: unknown = metadata?.["tags"];
  if (!Array.isArray(given)) return undefined;
  const tags = given.filter((tag): tag is string => typeof tag === "string" && tag !== "" && tag.length <= longestTag);
  return tags.length === 0 ? undefined : [...new Set(tags)].slice(0, mostTags);
}

function expiryOf({ endedAt, expiresAt }: RunRecord, recordMs: number): Pick<RunView, "expiresAt"> {
  const times = [
    ...(expiresAt === undefined ? [] : [expiresAt]),
    ...(endedAt === undefined ? [] : [endedAt + recordMs]),
  ];
  return times.length === 0 ? {} : { expiresAt: Math.min(...times) };
}

/**
 * Returns the caller of a run, for counting against limits. A run of the program itself is not limited for each caller.
 */
export function callerOf({ owner, anonymous }: Pick<RunRecord, "owner" | "anonymous">): CountedCaller {
  if (anonymous !== undefined) return anonymousCaller(anonymous);
  return owner.userId === undefined ? hostCaller : countedCaller(owner);
}

/** Makes the error that ends a run as cancelled. */
export function cancelled(reason: string | undefined): TroupeError {
  return new TroupeError(
    "cancelled",
    reason === undefined ? "The run was cancelled." : `The run was cancelled: ${reason}`,
  );
}

/** Makes the error of a run after too many attempts without progress. */
export function crashed({ kind, name }: RunRecord): TroupeError {
  const message = `The run of the ${kind} ${JSON.stringify(name)} ended its process, or was left, several times in a row without finishing a step.`;
  return new TroupeError("crashed", message);
}

/** Makes the error of an anonymous caller's run that received no answer in time. */
export function waitedTooLong(): TroupeError {
  const message =
    "Nobody answered the run in the time for which a run without a signed-in user may wait. Begin it again.";
  return new TroupeError("timeout", message);
}

/** Returns the end of a run in the form that its record stores. */
export function endOf({ output, error }: { output: Json; error?: StoredEnd["error"] }): StoredEnd {
  if (error === undefined) return { status: "completed", output };
  return { status: error.code === "cancelled" ? "cancelled" : "error", output, error };
}

function isRunRecord(value: unknown): value is RunRecord {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    ["runId", "kind", "name", "sessionId"].every((name) => typeof value[name] === "string") &&
    ["owner", "options", "plan"].every((name) => isRecord(value[name])) &&
    runStatuses.some((status) => status === value["status"]) &&
    isCount(value["activation"]) &&
    isCount(value["attempts"]) &&
    Number.isFinite(value["createdAt"])
  );
}

import type { PublicError } from "../../base/errors/public-error.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { encodeKey, encodeSequence } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { readRecord, recordVersion } from "../../sessions/storage/stored-record.ts";
import type { RecordKey } from "../../sessions/storage/stored-record.ts";
import { forceStorable } from "../../sessions/storage/to-storable.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { NotedCall } from "../run/run-steps.ts";
import type { RunChunk, RunWait } from "../run/run-wait.ts";

/** The storage namespaces for data of durable runs. */
export const runNamespaces = {
  /** Namespace of the records of runs: target, input, options, status and result. */
  runs: "runs",
  /** Namespace of inputs and options of runs that are too long for a record, stored in pieces. */
  input: "run-input",
  /** Namespace of the list of open runs, which have not ended. */
  open: "run-open",
  /** Namespace of the logs of runs, in numbered records. */
  log: "run-log",
  /** Namespace of the messages to runs: cancellations, answers to waits, and signals. */
  inbox: "run-inbox",
  /** Namespace of the lists of runs: of each owner, of each session, and of runs to remove. */
  byOwner: "run-by",
  /** Namespace of the schedules that start runs. */
  schedules: "schedules",
  /** Namespace of the list of schedules by the time of their next check. */
  dueSchedules: "schedule-due",
  /** Namespace of the list of schedules by owner. */
  schedulesByOwner: "schedule-by",
  /**
   * Namespace of the webhooks of single runs, by owner, of subscriptions to runs, and of the list of disabled webhooks.
   */
  webhooks: "webhooks",
  /** Namespace of the outbox: the pending deliveries to webhooks, by the time of their next attempt. */
  outbox: "outbox",
  /** Namespace of the deliveries to webhooks, by run: the event of each, its status and its attempts. */
  deliveries: "run-deliveries",
  /** Namespace of the records of processes that perform runs. */
  nodes: "run-nodes",
} as const;

/**
 * The stored result of a finished journal step. `signal` is the number, among the signals to the run, of the signal
 * that ended the step's wait.
 */
export type JournalResult = {
  readonly value: Json;
  readonly usage?: TokenUsage;
  readonly ms: number;
  readonly signal?: number;
};

/** One entry of a run's log, in chronological order. */
export type LogEntry =
  /**
   * The start of a new attempt, which owns all following entries. `void` lists the steps that earlier attempts left
   * unfinished, whose chunks are no longer valid. `print` is a fingerprint of the tools and steps. `id` is unique for
   * each attempt, so that a writer recognises its own record. `at`: epoch milliseconds. `isShared` is true if
   * the run is suspected of ending its processes, and the process may perform another such run at the same time, which
   * could be the one that ends it.
   */
  | {
      readonly t: "attempt";
      readonly n: number;
      readonly id: string;
      readonly at?: number;
      readonly node: string;
      readonly print: string;
      readonly void?: readonly string[];
      readonly isShared?: true;
    }
  /** Chunks of the run's stream, and the key of the journal step to which they belong; "" if they belong to no step. */
  | { readonly t: "chunks"; readonly step: string; readonly chunks: readonly RunChunk[] }
  /** `at`: epoch milliseconds of the call, or of the end of a step. Missing in entries of an earlier release. */
  | ({ readonly t: "call"; readonly step: string; readonly at?: number } & NotedCall)
  | ({ readonly t: "done"; readonly step: string; readonly at?: number } & JournalResult)
  /** `performedMs`: milliseconds that all attempts have worked up to this wait. */
  | { readonly t: "wait"; readonly wait: RunWait; readonly performedMs: number }
  /**
   * The attempt ended without a crash: its process released the run, could not reach the session, or suspended the run
   * because of waits that earlier attempts had logged.
   */
  | { readonly t: "left"; readonly why: LeaveReason }
  | { readonly t: "end"; readonly output: Json; readonly error?: PublicError };

/** The reason for which an attempt left a run that other attempts continue, if it could still log the reason. */
export type LeaveReason = "released" | "failed" | "suspended";

/** The last entry of a run that has ended. */
export type LogEnd = Extract<LogEntry, { t: "end" }>;

/**
 * One record of the log: all entries that one attempt wrote at once. It is stored as a whole or not at all, so that
 * entries of another attempt never come between them.
 */
export type LogRecord = { readonly v: 1; readonly entries: readonly LogEntry[] };

const entryTypes: readonly unknown[] = [
  "attempt",
  "chunks",
  "call",
  "done",
  "wait",
  "left",
  "end",
] satisfies LogEntry["t"][];

/** Returns the common key prefix of a run's log records. */
export function logPrefix(runId: string): string {
  return `${encodeKey(runId)}/`;
}

/** Returns the key of a log record. A run's records are numbered 1, 2, 3 and so on, without gaps. */
export function logKey(runId: string, number: number): string {
  return `${logPrefix(runId)}${encodeSequence(number)}`;
}

/**
 * The nesting levels that a log record adds around a value: the record, its entries, and up to two levels of an entry.
 */
const levelsAbove = 4;

/** Copies a value into a form that a log record accepts, with null for values that no storage accepts. */
export function toLogged<Value>(value: Value): Value {
  return forceStorable(value, levelsAbove);
}

/** Makes a log record out of entries. */
export function logRecord(entries: readonly LogEntry[]): LogRecord {
  return { v: recordVersion, entries };
}

/** Returns a stored log record after a check of its shape. Throws `storage_corrupt` if it is damaged. */
export function readLogRecord(value: unknown, at: RecordKey): LogRecord {
  return readRecord(value, at, isLogRecord);
}

/** Returns true if a stored value is a log record. */
export function isLogRecord(value: unknown): value is LogRecord {
  if (!isRecord(value) || value["v"] !== recordVersion || !Array.isArray(value["entries"])) return false;
  return value["entries"].every((entry) => isRecord(entry) && entryTypes.includes(entry["t"]));
}

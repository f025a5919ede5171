import type { PublicError } from "../../base/errors/public-error.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import { encodeKey, encodeSequence } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { readRecord, recordVersion } from "../../sessions/storage/stored-record.ts";
import type { RecordKey } from "../../sessions/storage/stored-record.ts";
import { forceStorable } from "../../sessions/storage/to-storable.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** The namespaces of durable runs in a storage. */
export const runNamespaces = {
  /** A run's record: target, input, options, status, result. */
  runs: "runs",
  /** Inputs and options that are too long for a record, in pieces. */
  input: "run-input",
  /** The runs that are not over. */
  open: "run-open",
  /** The logs of runs, in numbered records. */
  log: "run-log",
  /** Messages to runs: cancels, and answers to waits. */
  inbox: "run-inbox",
  /** The runs of an owner. */
  byOwner: "run-by",
  /** Schedules that begin runs. */
  schedules: "run-schedules",
  /** Subscriptions to runs. */
  subscriptions: "run-subscriptions",
  /** The processes that perform runs or serve subscriptions. */
  nodes: "run-nodes",
} as const;

/** A chunk of a stream in the log: of an agent or a team, or an event of a workflow. */
export type RunChunk = { readonly type: string };

/**
 * The kind of thing that a run waits for: leave to call a tool, the result of a tool that the client executes, word on
 * whether a call had its effect, or the tools of an earlier release.
 */
export type WaitKind = "approval" | "input" | "doubt" | "upgrade";

/** One thing that a run waits for, which `RunService.answer` answers by its id. */
export type RunWait = {
  readonly id: string;
  readonly kind: WaitKind;
  /** Facts for the one who answers, such as the tool and its arguments. */
  readonly about: Json;
  /** Epoch milliseconds after which the wait ends by itself: an approval as denied, others as `timeout`. */
  readonly until?: number;
  readonly toolCallId?: string;
  /** JSON Schema of the arguments that an approval may bring. Clients do not see it. */
  readonly argsSchema?: Json;
  /** Epoch milliseconds at which the run began to wait. Not in what an earlier release stored. */
  readonly askedAt?: number;
};

/** The result of a step that is done. */
export type StepResult = { readonly value: Json; readonly usage?: TokenUsage; readonly ms: number };

/** A call of a tool with an effect, written before the tool runs. `key` is its idempotency key. */
export type LoggedCall = {
  readonly tool: string;
  readonly args: Json;
  readonly effect: ToolEffect;
  readonly key: string;
};

/** One fact of a run, in the order in which they happened. */
export type LogEntry =
  /**
   * A new attempt at the run: all that follows is its. `void` are the steps that the attempts before it left unfinished, whose
   * chunks count no longer; `print` describes the tools and steps that it runs with. `id` is new for each attempt: a writer that
   * finds its record's place taken tells by it whether the record is its own. `at` is its time in epoch milliseconds.
   */
  | {
      readonly t: "attempt";
      readonly n: number;
      readonly id: string;
      readonly at?: number;
      readonly node: string;
      readonly print: string;
      readonly void?: readonly string[];
    }
  /** Chunks of the stream. Those of no unfinished step have the step "". */
  | { readonly t: "chunks"; readonly step: string; readonly chunks: readonly RunChunk[] }
  /** `at`: epoch milliseconds, here and of a step that is done. Not in what an earlier release stored. */
  | ({ readonly t: "call"; readonly step: string; readonly at?: number } & LoggedCall)
  | ({ readonly t: "done"; readonly step: string; readonly at?: number } & StepResult)
  /** `performedMs`: the time that the attempts have worked until now. */
  | { readonly t: "wait"; readonly wait: RunWait; readonly performedMs: number }
  /** The attempt left in peace, so that it was not the run that ended it: its process handed the run back, or could not reach the session. */
  | { readonly t: "left"; readonly why: LeaveReason }
  | { readonly t: "end"; readonly output: Json; readonly error?: PublicError };

/** The reason for which an attempt left a run that others go on with, where it could still log one. */
export type LeaveReason = "released" | "failed";

/** The last entry of a run that is over. */
export type LogEnd = Extract<LogEntry, { t: "end" }>;

/**
 * One record of the log: all that one attempt wrote in one go. It is stored whole or not at all, so that no other attempt can
 * come between its entries.
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

/** Returns the beginning of the keys of all log records of a run. */
export function logPrefix(runId: string): string {
  return `${encodeKey(runId)}/`;
}

/** Returns the key of a log record: the numbers of a run's records are 1, 2, 3 and so on, without gaps. */
export function logKey(runId: string, number: number): string {
  return `${logPrefix(runId)}${encodeSequence(number)}`;
}

/** The levels of a log record above the values in it: the record, its entries, and up to two of an entry. */
const levelsAbove = 4;

/** Copies a value as a log record takes it, with null in place of what no storage takes. */
export function toLoggable<Value>(value: Value): Value {
  return forceStorable(value, levelsAbove);
}

/** Makes a log record of entries. */
export function logRecord(entries: readonly LogEntry[]): LogRecord {
  return { v: recordVersion, entries };
}

/** Returns a stored log record after a check of its shape; throws `storage_corrupt` when it is damaged. */
export function readLogRecord(value: unknown, at: RecordKey): LogRecord {
  return readRecord(value, at, isLogRecord);
}

/** Tells if a stored value is a log record. */
export function isLogRecord(value: unknown): value is LogRecord {
  if (!isRecord(value) || value["v"] !== recordVersion || !Array.isArray(value["entries"])) return false;
  return value["entries"].every((entry) => isRecord(entry) && entryTypes.includes(entry["t"]));
}

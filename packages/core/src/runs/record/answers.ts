import { booleanOption, stringOption, optional, oneOf, customOption } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunSignal, RunWait, WaitKind } from "../../agents/run/run-wait.ts";
import { logPrefix, runNamespaces } from "../../agents/journal/log-entry.ts";
import { readLog } from "../../agents/journal/read-log.ts";
import { compileCheck } from "../../schema/check/compile-check.ts";
import type { JsonSchema } from "../../schema/object-schema.ts";
import { describeIssues } from "../../schema/schema-issue.ts";
import { scan } from "../../sessions/session/scan.ts";
import { toJson } from "../../sessions/storage/check-json.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { listEach } from "../../sessions/storage/list-each.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { RunRecord, RunStorage } from "./run-record.ts";
import { signalNumber, toSignal } from "./signals.ts";

/**
 * The key of a run's cancellation in its inbox. It differs from the ids of all waits, which contain a dot or a dash.
 */
const cancelKey = "cancel";

/**
 * The messages that others have sent to a run: its cancellation with the reason, answers by the id of the wait, and
 * signals.
 */
export type InboxContent = {
  cancel?: { reason?: string } | undefined;
  answers: Map<string, Json>;
  /** The signals to the run, in the order of their arrival. */
  signals: RunSignal[];
};

/** Reads all messages to a run. */
export async function readInbox(storage: RunStorage, runId: string): Promise<InboxContent> {
  const prefix = logPrefix(runId);
  const content: InboxContent = { answers: new Map(), signals: [] };
  for await (const page of scan(storage, { namespace: runNamespaces.inbox, prefix })) {
    for (const { key, value } of page) {
      const name = decodeURIComponent(key.slice(prefix.length));
      const number = signalNumber(name);
      if (number !== undefined) content.signals.push(toSignal(number, value));
      else if (name === cancelKey) content.cancel = toCancel(value);
      else content.answers.set(name, answerIn(value));
    }
  }
  return content;
}

/** Returns the cancellation of a run; undefined if it was not cancelled. */
export async function readCancel(storage: RunStorage, runId: string): Promise<{ reason?: string } | undefined> {
  const value = await storage.get(runNamespaces.inbox, encodeKey(runId, cancelKey));
  return value === null ? undefined : toCancel(value);
}

/**
 * Returns the cancellations among many runs, read with one request for up to 500 runs. Failures are passed to
 * `onError`, but failures with the same message only once.
 */
export async function readCancels(
  storage: RunStorage,
  runIds: readonly string[],
  onError: (error: unknown) => void,
): Promise<Map<string, { reason?: string }>> {
  const listings = runIds.map((runId) => ({
    namespace: runNamespaces.inbox,
    prefix: encodeKey(runId, cancelKey),
    limit: 1,
  }));
  const cancels = new Map<string, { reason?: string }>();
  const failures = new Map<string, unknown>();
  for (const [index, listed] of (await listEach(storage, listings)).entries()) {
    if (listed.status === "rejected") failures.set(String(listed.reason), listed.reason);
    const found = listed.status === "fulfilled" && listed.value.find(({ key }) => key === listings[index]?.prefix);
    if (found) cancels.set(runIds[index] ?? "", toCancel(found.value));
  }
  for (const error of failures.values()) onError(error);
  return cancels;
}

/** Stores the cancellation of a run. If several are requested, the first reason counts. */
export async function putCancel(storage: RunStorage, runId: string, reason: string | undefined): Promise<void> {
  const value = { v: 1, ...(reason !== undefined && { reason }) };
  await storage.compareAndSet(runNamespaces.inbox, encodeKey(runId, cancelKey), null, value);
}

/**
 * Stores the answer to a wait. The first answer counts: an equal second answer changes nothing, a different answer is
 * `conflict`.
 */
export async function putAnswer(
  storage: RunStorage,
  { runId, waitId }: { runId: string; waitId: string },
  answer: Json,
): Promise<void> {
  const key = encodeKey(runId, waitId);
  if (await storage.compareAndSet(runNamespaces.inbox, key, null, { v: 1, answer })) return;
  if (await hasAnswer(storage, { runId, waitId }, answer)) return;
  throw new TroupeError(
    "conflict",
    `The wait ${JSON.stringify(waitId)} has another answer already: the first one counts.`,
  );
}

/** Returns true if a wait was answered with this answer. */
export async function hasAnswer(
  storage: RunStorage,
  { runId, waitId }: { runId: string; waitId: string },
  answer: Json,
): Promise<boolean> {
  const stored = await storage.get(runNamespaces.inbox, encodeKey(runId, waitId));
  return stored !== null && equalJson(answerIn(stored), answer);
}

/**
 * Finds a wait of a run by its id: one that the run has stopped for, is about to stop for, or whose answer has arrived.
 */
export async function findWait(
  storage: RunStorage,
  { runId, waits = [] }: RunRecord,
  waitId: string,
): Promise<RunWait | undefined> {
  const known = waits.find(({ id }) => id === waitId);
  if (known !== undefined) return known;
  for await (const page of readLog(storage, runId)) {
    for (const { record } of page) {
      const found = record.entries.find((entry) => entry.t === "wait" && entry.wait.id === waitId);
      if (found?.t === "wait") return found.wait;
    }
  }
  return undefined;
}

const where = { owner: "the answer", code: "invalid_request" } as const;
const anyObject = customOption<Record<string, unknown>>("an object", isRecord);
const anything = (value: unknown): unknown => value;
const reasonOption = optional(stringOption);

const tables = {
  approval: { approved: booleanOption, reason: reasonOption, args: optional(anyObject) },
  input: { result: anything, error: reasonOption },
  doubt: { choice: oneOf("happened", "again", "giveUp"), result: anything },
  upgrade: { choice: oneOf("again", "giveUp") },
  question: { result: anything },
} satisfies Record<Exclude<WaitKind, "event" | "sleep">, OptionTable<Record<string, unknown>>>;

/** The facts of a wait that its answer is checked against. */
type AnsweredWait = Pick<RunWait, "kind" | "argsSchema"> & Partial<Pick<RunWait, "about">>;

/**
 * Checks an answer against the wait that it ends, such as a run's open request for approval, or its question. Throws
 * `invalid_request` for a wait that takes no answer, for a wrong shape, for changed arguments of a tool call that do
 * not fit the tool, and for a result that does not fit the question.
 */
export function checkAnswer(wait: AnsweredWait, given: unknown): Json {
  const { kind, about, argsSchema } = wait;
  if (kind === "event" || kind === "sleep") throw takesNoAnswer(kind, about);
  const answer: Record<string, unknown> = readOptions(tables[kind], given, where);
  const problem =
    problemOf(kind, answer) ??
    misfitOf(answer["args"], argsSchema, argsOfTool) ??
    (kind === "question" ? misfitOf(answer["result"], schemaOf(about), resultOfQuestion) : undefined);
  if (problem !== undefined) throw new TroupeError("invalid_request", problem);
  try {
    return toJson(answer);
  } catch (cause) {
    throw new TroupeError("invalid_request", "The answer must be JSON.", { cause });
  }
}

function problemOf(kind: WaitKind, answer: Record<string, unknown>): string | undefined {
  const { approved, args, result, error, choice } = answer;
  if (kind === "approval" && approved === false && args !== undefined) {
    return "args must be left out of an answer that denies the call.";
  }
  if (kind === "input" && (result === undefined) === (error === undefined)) {
    return "The answer must have either result, any JSON value, or error, a string.";
  }
  if (kind === "question" && result === undefined) return "The answer must have result, the answer to the question.";
  if (kind === "doubt" && (choice === "happened") !== (result !== undefined)) {
    return 'result, the result that the call had, goes with the choice "happened" and no other.';
  }
  return undefined;
}

/**
 * Returns the reasons for which a value of an answer does not fit its schema; undefined if it fits. If the schema
 * cannot be read, all values fit.
 */
function misfitOf(
  value: unknown,
  schema: Json | undefined,
  { name, sentence }: { name: string; sentence: string },
): string | undefined {
  if (value === undefined || !isRecord(schema)) return undefined;
  const checked = tryCheck(schema)?.(value);
  if (checked === undefined || checked.ok) return undefined;
  const issues = checked.issues.map(({ path, message }) => ({ path: [name, ...path], message }));
  return `${sentence}:\n${describeIssues(issues)}`;
}

const argsOfTool = { name: "args", sentence: "The arguments of the answer do not fit the tool" };
const resultOfQuestion = { name: "result", sentence: "The answer does not fit the question" };

/** Returns the schema of the answer to a question. Without a schema, the answer is a string. */
function schemaOf(about: unknown): Json {
  const schema = readProperty(about, "schema");
  return isRecord(schema) ? (schema as Json) : { type: "string" };
}

function takesNoAnswer(kind: "event" | "sleep", about: unknown): TroupeError {
  const way =
    kind === "sleep"
      ? "It ends at its time"
      : `Send a signal of the event ${JSON.stringify(readProperty(about, "event"))}`;
  return new TroupeError("invalid_request", `A wait of the kind ${kind} takes no answer. ${way}.`);
}

/**
 * Compiles a stored schema. Returns undefined for a schema of an earlier release or a library that this release cannot
 * check.
 */
function tryCheck(schema: JsonSchema): ReturnType<typeof compileCheck> | undefined {
  try {
    return compileCheck(schema, "argsSchema");
  } catch {
    return undefined;
  }
}

function toCancel(value: Json): { reason?: string } {
  const reason = isRecord(value) ? value["reason"] : undefined;
  return typeof reason === "string" ? { reason } : {};
}

function answerIn(value: Json): Json {
  return isRecord(value) ? (value["answer"] ?? null) : null;
}

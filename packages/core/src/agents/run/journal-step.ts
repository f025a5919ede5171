import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode, ErrorFields } from "../../base/errors/troupe-error.ts";
import type { OpenStep } from "../journal/attempt.ts";
import type { Journal } from "../journal/journal.ts";
import type { LoggedCall, JournalResult } from "../journal/log-entry.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Runnable } from "./runnable.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** The key of a property that is true for runnables which continue the journal of their parent run. */
export const keepsJournal = Symbol.for("troupe.keepsJournal");

/** Work of a durable run whose result a later attempt gets from the journal. */
export type JournalStep<Value> = {
  readonly journal: Journal;
  readonly key: string;
  /** The name of the step in error messages, such as `The step "charge"`. */
  readonly place: string;
  /** Signal at whose abort the journal step is left, so that the next attempt at the run repeats it. */
  readonly signal: AbortSignal;
  /** The call to log before the work, for work with an effect of its own. Undefined for work that may be repeated. */
  readonly call?: LoggedCall | undefined;
  /** Counts the usage of the work. The usage of a result read from the journal is added too. */
  readonly meter?: UsageMeter | undefined;
  readonly work: (step: OpenStep) => Promise<Value>;
  /** Returns true if the step is repeated after this failure. The result is stored with the failure. @default never */
  readonly repeats?: ((error: unknown) => boolean) | undefined;
  /** Converts the result in a person's answer into the value of a call that took place. */
  readonly readAnswer?: ((result: unknown) => Value) | undefined;
};

/**
 * Performs the work of a step and stores its outcome; if an outcome is already stored, returns that value or throws
 * that error. A call of effect `once` that an earlier attempt began but did not finish is not repeated without an
 * answer: the run waits with kind `doubt`.
 */
export async function runJournalStep<Value>(step: JournalStep<Value>): Promise<Value> {
  const { journal, key, signal, call, meter } = step;
  const stored = journal.stored(key);
  if (stored !== undefined) {
    if (isRepeatedByAnswer(stored)) return await runJournalStep({ ...step, key: `${key}/again` });
    if (stored.usage !== undefined) meter?.add(stored.usage);
    return storedValue(stored) as Value;
  }
  if (journal.attempt > 1) await otherResults(signal);
  return call?.effect === "once" && journal.hasCall(key) ? await resolveDoubt(step, call) : await doStep(step);
}

async function doStep<Value>(step: JournalStep<Value>): Promise<Value> {
  const { journal, key, signal, call } = step;
  const open = journal.begin(key);
  try {
    await journal.beforeWork();
    signal.throwIfAborted();
    if (call !== undefined) await journal.call(key, call);
    signal.throwIfAborted();
    const value = await step.work(open);
    open.done({ value }, usageOf(step));
    return value;
  } catch (error) {
    storeFailure(step, open, error);
    throw error;
  } finally {
    open.leave();
  }
}

/** Returns the stored result of a step, if the step has ended. */
export function endOfStep(journal: Journal, key: string): JournalResult | undefined {
  const stored = journal.stored(key);
  return stored !== undefined && isRepeatedByAnswer(stored) ? endOfStep(journal, `${key}/again`) : stored;
}

/** Returns true if a step ended with a failure after which it was repeated. */
export function isRepeatedFailure({ value }: JournalResult): boolean {
  return readProperty(value, "repeats") === true;
}

/** Returns the effect to log before a run of a runnable that keeps no journal; undefined for other runnables. */
export function effectOfRunnable(runnable: Runnable): ToolEffect | undefined {
  if (readProperty(runnable, keepsJournal) === true) return undefined;
  const effect = readProperty(runnable, "effect");
  return effect === "pure" || effect === "idempotent" ? effect : "once";
}

/** A failure read from the journal, with the text that a child run had produced until then. */
class StoredFailure extends TroupeError {
  declare readonly output: { text: string };

  constructor({ code, message, fields, text }: StoredError) {
    super(code, message, { fields });
    Object.defineProperty(this, "output", { value: { text } });
  }
}

/** Returns true if an error is a failure that an earlier attempt at the run has stored. */
export function isStoredFailure(error: unknown): boolean {
  return error instanceof StoredFailure;
}

type StoredError = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields: ErrorFields;
  readonly text: string;
};

/** Returns the value in a step's stored result, or throws its stored error. */
export function storedValue({ value }: JournalResult): Json {
  const error = readProperty(value, "error") as StoredError | undefined;
  if (error !== undefined) throw new StoredFailure(error);
  return (readProperty(value, "value") ?? null) as Json;
}

function isRepeatedByAnswer({ value }: JournalResult): boolean {
  return readProperty(value, "again") === true;
}

/**
 * Waits until all other stored results have taken effect, because a failure among them may end this step before it
 * begins.
 */
async function otherResults(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

function storeFailure<Value>(step: JournalStep<Value>, open: OpenStep, thrown: unknown): void {
  const { signal, journal, place, repeats } = step;
  // The step of an aborted run or a stopped attempt was interrupted: it has not ended, and nothing is stored.
  if (signal.aborted || journal.stopped !== undefined) return;
  const { code, message, fields } = toTroupeError(thrown, undefined, place);
  const text = readProperty(readProperty(thrown, "output"), "text");
  const error: StoredError = { code, message, fields, text: typeof text === "string" ? text : "" };
  open.done({ error, ...(repeats?.(thrown) === true && { repeats: true }) }, usageOf(step));
}

async function resolveDoubt<Value>(step: JournalStep<Value>, call: LoggedCall): Promise<Value> {
  const { journal, key } = step;
  const open = journal.begin(key);
  try {
    const about = { toolName: call.tool, args: call.args, idempotencyKey: call.key };
    const answer = await journal.wait(key, { kind: "doubt", about });
    const choice = readProperty(answer, "choice");
    if (choice === "again") {
      open.done({ again: true });
      return await runJournalStep(step);
    }
    if (choice !== "happened") throw givenUp(step.place);
    const result = readProperty(answer, "result");
    const value = step.readAnswer === undefined ? (result as Value) : step.readAnswer(result);
    open.done({ value });
    return value;
  } catch (error) {
    storeFailure(step, open, error);
    throw error;
  } finally {
    open.leave();
  }
}

function givenUp(place: string): TroupeError {
  const message = `${place} was under way when its process ended. It may have had its effect, and was given up.`;
  return new TroupeError("cancelled", message);
}

function usageOf({ meter }: Pick<JournalStep<unknown>, "meter">) {
  return meter === undefined || meter.total.totalTokens === 0 ? undefined : meter.total;
}

import { AsyncQueue } from "../../base/async/async-queue.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { NotedCall, StepEnd, StepKind } from "../run/run-steps.ts";
import { StoredFailure } from "../run/stored-failure.ts";
import type { StoredError } from "../run/stored-failure.ts";
import type { JournalResult } from "./log-entry.ts";
import { OpenJournalStep } from "./open-step.ts";
import type { StepLog, StepOfKind } from "./open-step.ts";

/** True for the kinds of steps whose failure is stored like a value, so that later attempts do not repeat them. */
export const keepsFailure: Readonly<Record<StepKind, boolean>> = {
  check: false,
  model: false,
  tool: false,
  turn: false,
  member: true,
  function: true,
};

/** A step whose failure is stored like its value, and the work to do if neither a value nor a failure is stored. */
export type WorkOfKind<Value> = StepOfKind<Value> & {
  readonly work: (step: OpenJournalStep<Value>) => Value | Promise<Value>;
};

/**
 * Performs the work of a step and stores its outcome. If an outcome is already stored, returns its value or throws its
 * error. A call of effect `once` that an earlier attempt began but did not finish is not repeated without an answer:
 * the run waits with kind `doubt`.
 */
export async function runJournalStep<Value>(step: WorkOfKind<Value>): Promise<Value> {
  const { journal, key } = step;
  const { signal, call, meter } = step.options;
  const stored = journal.stored(key);
  if (stored !== undefined) {
    if (isRepeatedByAnswer(stored)) return await runJournalStep({ ...step, key: `${key}/again` });
    if (stored.usage !== undefined) meter?.add(stored.usage);
    return storedValue(stored) as Value;
  }
  if (journal.isResumed) await otherResults(journal, key, signal);
  return call?.effect === "once" && journal.callOf(key) !== undefined
    ? await resolveDoubt(step, call)
    : await doStep(step);
}

async function doStep<Value>(step: WorkOfKind<Value>): Promise<Value> {
  const { journal, key } = step;
  const { signal, call } = step.options;
  const open = new OpenJournalStep(step);
  try {
    await journal.durable.newWork.before();
    signal?.throwIfAborted();
    if (call !== undefined) await journal.call(key, call);
    signal?.throwIfAborted();
    const made = await step.work(open);
    // The value is converted to its stored form, so that this attempt uses the same value as later attempts.
    const value = (step.options.toStored?.(made) ?? made) as Value;
    open.end({ value });
    return value;
  } catch (error) {
    storeFailure(step, open, error);
    throw error;
  } finally {
    open.leave();
  }
}

/** Returns the stored end of a step whose failure is stored like its value; undefined if the step has not ended. */
export function endOfStep(journal: StepLog, key: string): StepEnd | undefined {
  const stored = journal.stored(key);
  if (stored === undefined) return undefined;
  if (isRepeatedByAnswer(stored)) return endOfStep(journal, `${key}/again`);
  const error = readProperty(stored.value, "error") as StoredError | undefined;
  const { ms, usage } = stored;
  return {
    ms,
    ...(usage !== undefined && { usage }),
    ...(error !== undefined && { error: new StoredFailure(error) }),
    isRepeated: readProperty(stored.value, "repeats") === true,
  };
}

/** Returns the value in a step's stored result, or throws its stored error. */
function storedValue({ value }: JournalResult): Json {
  const error = readProperty(value, "error") as StoredError | undefined;
  if (error !== undefined) throw new StoredFailure(error);
  return (readProperty(value, "value") ?? null) as Json;
}

function isRepeatedByAnswer({ value }: JournalResult): boolean {
  return readProperty(value, "again") === true;
}

/**
 * Waits one turn of the event loop, so that all stored results of other steps take effect first. A failure among them
 * may end this step before it begins.
 */
async function otherResults(journal: StepLog, key: string, signal: AbortSignal | undefined): Promise<void> {
  // Until the step begins, the run must not be suspended for the waits of other steps.
  const release = journal.hold(key);
  try {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  } finally {
    release();
  }
}

function storeFailure<Value>(step: WorkOfKind<Value>, open: OpenJournalStep<Value>, thrown: unknown): void {
  const { journal, options } = step;
  const { signal, place, repeats } = options;
  // If the run was aborted or the attempt was stopped, the step was interrupted: it has not ended, and nothing is
  // stored.
  if (signal?.aborted === true || journal.durable.stopped !== undefined) return;
  const { code, message, fields } = toTroupeError(thrown, undefined, place);
  const text = readProperty(readProperty(thrown, "output"), "text");
  const error: StoredError = { code, message, fields, text: typeof text === "string" ? text : "" };
  open.end({ error, ...(repeats?.(thrown) === true && { repeats: true }) });
}

async function resolveDoubt<Value>(step: WorkOfKind<Value>, call: NotedCall): Promise<Value> {
  const { journal, key, options } = step;
  const open = new OpenJournalStep(step);
  try {
    const about = { toolName: call.tool, args: call.args, idempotencyKey: call.key };
    const answer = await journal.wait(key, { kind: "doubt", about });
    const choice = readProperty(answer, "choice");
    if (choice === "again") {
      open.end({ again: true });
      return await runJournalStep(step);
    }
    if (choice !== "happened") throw givenUp(options.place);
    const result = readProperty(answer, "result");
    const value = options.readAnswer === undefined ? (result as Value) : options.readAnswer(result);
    open.end({ value });
    return value;
  } catch (error) {
    storeFailure(step, open, error);
    throw error;
  } finally {
    open.leave();
  }
}

function givenUp(place = "The step"): TroupeError {
  const message = `${place} was under way when its process ended. It may have had its effect, and was given up.`;
  return new TroupeError("cancelled", message);
}

/**
 * Streams a step whose failure is stored like its value. If the step's work is a single call, the chunks belong to the
 * step; otherwise they belong to the steps within it.
 */
export async function* streamJournalStep<Chunk extends object, Value>(
  step: StepOfKind<Value>,
  work: (open: OpenJournalStep<Value>) => AsyncGenerator<Chunk, Value>,
): AsyncGenerator<Chunk, Value> {
  const chunks = new AsyncQueue<Chunk>();
  const readAll = async (open: OpenJournalStep<Value>): Promise<Value> => {
    const stream = work(open);
    let next = await stream.next();
    for (; next.done !== true; next = await stream.next()) {
      if (step.options.call !== undefined) open.tag(next.value);
      await chunks.push(next.value);
    }
    return next.value;
  };
  const end = runJournalStep({ ...step, work: readAll }).finally(() => chunks.close());
  end.catch(() => undefined);
  for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) yield chunk;
  return await end;
}

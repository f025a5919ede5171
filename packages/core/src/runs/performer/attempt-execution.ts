import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Attempt } from "../../agents/journal/attempt.ts";
import type { Journal } from "../../agents/journal/journal.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { logFailedRun, startRun, toFailedEnd } from "../processes/durable-target.ts";
import type { StartedRun } from "../processes/durable-target.ts";
import type { RunEnds, RunSuspension } from "./run-ends.ts";
import { RunningNote } from "./running-note.ts";
import { endOf } from "../record/run-record.ts";
import { toRunOpts } from "../record/run-input.ts";
import type { RunInput } from "../record/run-input.ts";
import type { RunRecord, StoredEnd } from "../record/run-record.ts";
import type { ContinuedTelemetry, Telemetry } from "../../base/telemetry/telemetry.ts";
import { writeInOrder } from "../record/run-writes.ts";
import type { Ready, ServiceParts } from "../processes/service-parts.ts";

/**
 * Milliseconds that a stopped attempt may still take, to note in the run's session that the run waits for an answer.
 */
const leavingMs = 5000;

/**
 * The signals of one attempt: the engine's signal, at which the job is returned to the engine, and the signal that
 * cancels the run.
 */
export type AttemptControl = { readonly signal: AbortSignal; readonly controller: AbortController };

/** An attempt that has begun: its run, its journal and its signals. */
export type PerformedAttempt = Ready &
  AttemptControl & {
    readonly record: RunRecord;
    readonly journal: Journal;
    /** The input and options of the run. */
    readonly given: RunInput;
    /** The run, if this process already made it when it accepted the run. */
    readonly run?: StartedRun;
    /** Records the attempt in the run's trace. */
    readonly telemetry?: ContinuedTelemetry | undefined;
    /** The error with which the attempt must end the run. */
    readonly ending?: TroupeError | undefined;
  };

/** Executes attempts whose journal is open: drives the run, and stores its end or its pause. */
export class AttemptExecution {
  readonly #parts: ServiceParts;
  readonly #ends: RunEnds;
  readonly #suspension: RunSuspension;

  constructor(parts: ServiceParts, ends: RunEnds, suspension: RunSuspension) {
    this.#parts = parts;
    this.#ends = ends;
    this.#suspension = suspension;
  }

  /** Performs the work of an attempt, and stores the run's end or its pause. */
  async execute(attempt: PerformedAttempt): Promise<void> {
    const { record, journal, signal } = attempt;
    const { durable } = journal;
    const { startedAt = this.#parts.now() } = record;
    const release = () => durable.stop("released");
    if (signal.aborted) {
      release();
      return await durable.flush();
    }
    signal.addEventListener("abort", release, { once: true });
    const running = { attempts: durable.attempt, node: this.#parts.node, startedAt, plan: attempt.plan };
    const observed = this.#parts.telemetry === undefined ? attempt : this.#observe(attempt, this.#parts.telemetry);
    const note = new RunningNote(this.#parts.store, record, running, observed.telemetry);
    try {
      const end = await untilStopped(durable, this.#drive(observed));
      const known = await note.known();
      if (durable.stopped !== undefined) return await this.#pause(record, durable, note);
      await writeInOrder("end", {
        // If the run was cancelled while it waited, its session has a note that keeps other runs out. The note is
        // removed here.
        session: attempt.ending === undefined ? undefined : () => this.#ends.endSessionWait(record),
        end: () => durable.end(end),
        record: () => this.#ends.finish(record, { ...running, ...endOf(end) }, known),
      });
    } catch (error) {
      if (durable.stopped === undefined) throw error;
      await this.#pause(record, durable, note);
    } finally {
      note.close();
      signal.removeEventListener("abort", release);
    }
  }

  /** Drives a run to its end or to a pause. A failure of the run is an end too. */
  async #drive(attempt: PerformedAttempt): Promise<{ output: Json; error?: StoredEnd["error"] & object }> {
    const { record, keys } = attempt;
    const { durable } = attempt.journal;
    const { modelCalls } = this.#parts;
    durable.onModelCall = (describe) => {
      if (modelCalls.has("begin")) modelCalls.emit("begin", { ...describe(), owner: record.owner });
    };
    try {
      const run = attempt.run ?? this.#makeRun(attempt);
      for await (const chunk of run.chunks) {
        const behind = durable.writeChunk(chunk, run.innerOf(chunk));
        if (behind !== undefined) await behind;
      }
      return { output: await run.output() };
    } catch (error) {
      if (durable.stopped !== undefined) return { output: null };
      const end = toFailedEnd(error);
      if (attempt.ending !== undefined) end.error = toFailedEnd(attempt.ending).error;
      if (end.error.code !== "cancelled") {
        logFailedRun(this.#parts.logger, error, { runId: record.runId, keys });
        return end;
      }
      await durable.flush();
      return { ...end, output: await this.#ends.withToolStates(record.runId, end.output) };
    }
  }

  /**
   * Lets the attempt be recorded as a part of the run's trace, and records how long the run has waited for the attempt.
   */
  #observe(attempt: PerformedAttempt, telemetry: Telemetry): PerformedAttempt {
    const { record, journal } = attempt;
    const { trace: stored, attemptTrace: previous, createdAt, notBefore = 0 } = record;
    if (journal.durable.attempt === 1) {
      telemetry.measure("queue.wait", { ms: Math.max(0, this.#parts.now() - Math.max(createdAt, notBefore)) });
    }
    return { ...attempt, telemetry: attempt.telemetry ?? telemetry.continueFrom({ stored, previous }) };
  }

  /** Makes the run of an attempt from the run's record. */
  #makeRun({ record, given, journal, controller, target, keys, telemetry }: PerformedAttempt): StartedRun {
    const local = this.#parts.locals.get(record.runId);
    const { input, options } = given;
    const opts = toRunOpts({ ...record, options }, { keys, local, signal: controller.signal, telemetry });
    return startRun(target, { kind: record.kind, input: local?.input ?? input }, { ...opts, steps: journal });
  }

  async #pause(record: RunRecord, durable: Attempt, note: RunningNote): Promise<void> {
    // Also after a failure, finished work is stored if possible, so that the next attempt does not repeat it.
    if (durable.stopped === "failed") await durable.flush().catch(() => undefined);
    if (durable.stopped === "failed") throw durable.signal.reason;
    // The journal is flushed, because a lost result of a call with an effect would require a question to a person.
    if (durable.stopped === "released") await durable.flush();
    if (durable.stopped === "suspended") await this.#suspension.suspend(record, durable, note);
  }
}

/**
 * Waits for the work of an attempt. After the attempt is stopped, waits only briefly, because a runnable may ignore its
 * signal.
 */
async function untilStopped<Result>({ signal }: Attempt, work: Promise<Result>): Promise<Result> {
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    timer = setTimeout(() => reject(signal.reason), leavingMs).unref();
  };
  if (signal.aborted) onStop();
  else signal.addEventListener("abort", onStop, { once: true });
  try {
    return await Promise.race([work, isOver]);
  } finally {
    signal.removeEventListener("abort", onStop);
    clearTimeout(timer);
  }
}

import { AsyncResource } from "node:async_hooks";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import type { ObservedRunEnd } from "../../base/telemetry/operations.ts";
import type { OngoingOperation, Telemetry } from "../../base/telemetry/telemetry.ts";
import { RunEnding } from "./run-ending.ts";
import type { DurableRun } from "./run-steps.ts";
import type { CompleteRunOutput } from "./run-output.ts";
import type { RunWork } from "./run-work.ts";
import type { Run } from "./run.ts";
import { beginRunOperation, endOfRun } from "./observe-run.ts";
import { logRunEnd } from "./log-run-end.ts";
import { watchLimits } from "./run-limits.ts";
import { toRunError } from "./to-run-error.ts";

/** The receiver of a run's chunks. */
export interface ChunkReceiver {
  /** True if the next chunk is to be produced. */
  readonly wantsChunk: boolean;
  /** False for a run without a stream, which emits no events of its chunks. */
  readonly isStream: boolean;
  give(chunk: StreamChunk): void;
  /** Ends the chunks, with the failure of the run if it has failed. */
  end(failure?: TroupeError): void;
}

/** Takes a run from its start to its single end. No chunk but the first is produced before the receiver wants it. */
export class RunLifecycle<Structured> {
  readonly #run: Run<Structured>;
  readonly #work: RunWork<Structured>;
  readonly #receiver: ChunkReceiver;
  readonly #result = Promise.withResolvers<CompleteRunOutput<Structured>>();
  readonly result = this.#result.promise;
  readonly #ending: RunEnding;
  /**
   * The phase of the run. In the phase `ending`, the run's work is being stored, and any further activity is ignored.
   */
  phase: "idle" | "working" | "ending" | "ended" = "idle";
  #isFailing = false;
  /** The run's work, once it has begun. If the run is aborted earlier, none of the work's functions is called. */
  #begun: RunWork<Structured> | undefined;
  #chunks: AsyncGenerator<StreamChunk, FinishReason> | undefined;
  #unwatch = () => {};
  /**
   * Keeps the caller's AsyncLocalStorage for all functions of the run, wherever the run is read, awaited or cancelled.
   */
  #caller = new AsyncResource("TroupeRun", { requireManualDestroy: true });
  /** The record of the run for telemetry; undefined without telemetry. */
  #operation: OngoingOperation<"run"> | undefined;

  constructor(run: Run<Structured>, work: RunWork<Structured>, receiver: ChunkReceiver) {
    this.#run = run;
    this.#work = work;
    this.#receiver = receiver;
    this.#ending = new RunEnding(run);
    // A caller that only reads the chunks receives a failure from its reads, so the result must not count as unhandled.
    this.result.catch(() => undefined);
  }

  /** Begins the run. It must not have begun. */
  begin(): void {
    this.phase = "working";
    if (this.#run.settings.telemetry !== undefined) this.#observe(this.#run.settings.telemetry);
    this.#caller.runInAsyncScope(() => this.#beginAsCaller());
  }

  /** Records the run, whose span is active in all functions of the run from now on. */
  #observe(telemetry: Telemetry): void {
    this.#caller.runInAsyncScope(() => {
      const operation = beginRunOperation(telemetry, this.#run, this.#work.kind);
      this.#operation = operation;
      this.#caller = operation.run(() => new AsyncResource("TroupeRun", { requireManualDestroy: true }));
    });
  }

  #beginAsCaller(): void {
    const run = this.#run;
    const { limits, steps } = run.settings;
    const { durable } = steps;
    const signals = durable === undefined ? run.settings.signals : [...run.settings.signals, durable.signal];
    const stop = (reason: TroupeError) => this.stop(reason);
    run.start();
    run.meter.limit(limits.totalTokens, stop);
    // For a durable run, `run.start` is emitted only once, when the run begins. A child run is announced in each
    // attempt, before its other events.
    if (!steps.isResumed || run.settings.parentRunId !== undefined)
      run.emit("run.start", { agentName: run.context.agentName, input: run.input });
    if (run.signal.aborted) this.stop(toTroupeError(run.signal.reason));
    this.#unwatch = watchLimits({ signals, durationMs: limits.durationMs, onEnd: stop });
    if (this.phase === "working") void this.#prepare();
    // A run that was cancelled before it began may have ended already, so its limits are not watched.
    else if (this.phase === "ended") this.#unwatch();
  }

  async #prepare(): Promise<void> {
    try {
      this.#begun = this.#work;
      this.#chunks = await this.#work.begin();
      this.#pull();
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Produces the next chunk, for a receiver that has begun to want it. */
  pull(): void {
    this.#caller.runInAsyncScope(this.#pull);
  }

  // The functions that pull chunks and pass them on are created once for each run instead of once for each chunk.
  readonly #pull = (): void => {
    if (this.phase !== "working" || this.#chunks === undefined) return;
    this.#chunks.next().then(this.#onStep, this.#onFailure);
  };
  readonly #onFailure = async (error: unknown): Promise<void> => await this.#fail(error);
  readonly #onStep = (step: IteratorResult<StreamChunk, FinishReason>): void => {
    if (this.phase !== "working") return;
    if (step.done === true) {
      void this.#complete(step.value);
      return;
    }
    this.#receiver.give(step.value);
    this.#emitChunk(step.value);
    if (this.#receiver.wantsChunk) this.#pull();
  };

  async #complete(finishReason: FinishReason): Promise<void> {
    this.phase = "ending";
    try {
      const saved = this.#begun?.saveFinished?.();
      if (saved !== undefined) await this.#ending.wait(saved);
    } catch (error) {
      if (!this.#answersUnstored(error)) return await this.#fail(error);
    }
    const { durable } = this.#run.steps;
    if (durable?.stopped !== undefined) return await this.#fail(durable.signal.reason);
    const output = this.#run.toOutput("completed", finishReason);
    await this.#ending.call("afterRunFailed", () => this.#begun?.onEnd?.({ output }));
    this.#close();
    this.#endOperation("completed");
    const { usage, stored } = output;
    const finish: StreamChunk = { type: "finish", finishReason, usage, ...(stored === false && { stored }) };
    this.#emitChunk(finish);
    logRunEnd(this.#run, output);
    this.#run.emit("run.complete", { output });
    this.#result.resolve(output);
    this.#run.partialAnswers?.end(output.structured);
    this.#receiver.give(finish);
    this.#receiver.end();
  }

  /** Returns true if the answer is delivered although its turn was not stored, and marks the run as not stored. */
  #answersUnstored(error: unknown): boolean {
    const run = this.#run;
    // A run that was ended while its turn was being stored fails with the reason of that end.
    if (this.#begun?.answersUnstored !== true || run.signal.aborted) return false;
    run.isStored = false;
    this.#ending.warn("answerNotStored", error);
    return true;
  }

  async #fail(thrown: unknown): Promise<void> {
    if (this.#isFailing || this.phase === "ended") return;
    this.#isFailing = true;
    this.phase = "ending";
    const { durable } = this.#run.steps;
    if (thrown instanceof TroupeError && thrown.code === "storage_unavailable") durable?.failStorage(thrown);
    if (durable?.stopped !== undefined) return await this.#pause(durable);
    const error = toTroupeError(thrown, this.#run.signal, "The run");
    this.#abandon(error);
    await this.#ending.call("turnNotStored", () => this.#begun?.saveInterrupted?.());
    const failure = toRunError(error, this.#run);
    await this.#ending.call("onErrorFailed", () => this.#begun?.onEnd?.({ error: failure }));
    this.#close(failure);
    this.#endOperation(failure.code === "cancelled" ? "cancelled" : "error", failure);
    logRunEnd(this.#run, failure.output, failure.code);
    this.#run.emit("run.error", { error: failure });
    this.#reject(failure);
  }

  /** Leaves a durable run that continues later. Emits no events, because the run is not over. */
  async #pause({ signal, stopped, steps }: DurableRun): Promise<void> {
    const paused = toTroupeError(signal.reason);
    this.#abandon(paused);
    if (stopped === "suspended") await this.#ending.call("waitNotStored", () => this.#begun?.suspend?.());
    this.#close(paused);
    for (const { kind } of stopped === "suspended" ? steps.waits : []) this.#operation?.note({ type: "wait", kind });
    this.#endOperation("paused");
    this.#reject(paused);
  }

  #endOperation(status: ObservedRunEnd["status"], failure?: TroupeError): void {
    this.#operation?.end(endOfRun(this.#run, status, failure));
  }

  /** Abandons the work of a run that ends early, and begins the grace period. */
  #abandon(reason: TroupeError): void {
    this.#run.abort(reason);
    this.#chunks?.return("error").catch(() => undefined);
    this.#ending.start();
  }

  #reject(failure: TroupeError): void {
    this.#result.reject(failure);
    this.#run.partialAnswers?.fail(failure);
    this.#receiver.end(failure);
  }

  /** Ends the run early. The run's signal has aborted when this method returns. */
  stop(reason: TroupeError): void {
    if (this.phase === "ended") return;
    this.#caller.runInAsyncScope(() => {
      this.#run.abort(reason);
      if (this.phase === "working") void this.#fail(reason);
      // While the turn is being stored, the write can no longer be cancelled, and the run's end must not be announced
      // yet.
      if (this.phase === "ending") this.#ending.start();
    });
  }

  #close(failure?: TroupeError): void {
    this.phase = "ended";
    this.#run.modelCalls.close(failure);
    this.#unwatch();
    this.#ending.stop();
    this.#begun?.release?.();
  }

  #emitChunk(chunk: StreamChunk): void {
    const run = this.#run;
    if (this.#receiver.isStream && run.eventBus.has("run.stream.chunk")) run.emit("run.stream.chunk", { chunk });
  }
}

import { AsyncResource } from "node:async_hooks";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Journal } from "../journal/journal.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import { LazyPromise } from "../../base/async/lazy-promise.ts";
import { GracePeriod } from "./grace-period.ts";
import type { CompleteRunOutput } from "./run-output.ts";
import type { RunWork } from "./run-work.ts";
import type { Run } from "./run.ts";
import type { RunStream } from "./runnable.ts";
import { logRunEnd } from "./log-run-end.ts";
import { alreadyRead, notStructured, objectView, PartialAnswers, textView } from "./stream-views.ts";
import type { PartialValue, Reader } from "./stream-views.ts";
import { watchLimits } from "./run-limits.ts";
import { toRunError } from "./to-run-error.ts";

type Step = IteratorResult<StreamChunk, undefined>;
type Read = { resolve: (step: Step) => void; reject: (error: unknown) => void };

const over: Step = { done: true, value: undefined };

/**
 * Drives a run from its start to its one end. It is pulled by the reader of its chunks or, when its output is awaited first,
 * by that; no chunk is produced before it is wanted.
 */
export class RunExecution<Structured>
  implements RunStream<CompleteRunOutput<Structured>>, AsyncIterator<StreamChunk, undefined>
{
  readonly #run: Run<Structured>;
  readonly #work: RunWork<Structured>;
  readonly #result = Promise.withResolvers<CompleteRunOutput<Structured>>();
  readonly #grace = new GracePeriod();
  /** Reads that wait for a chunk; a reader may ask for several at once. */
  readonly #reads: Read[] = [];
  /** While `ending`, the work of the run is being stored, and whatever else it does is ignored. */
  #phase: "idle" | "working" | "ending" | "ended" = "idle";
  #isFailing = false;
  /** The one reader of the run, once there is one. */
  #reader: Reader | undefined;
  #hasLeft = false;
  /** The work once it has begun: of a run that was aborted before, none of its functions is called. */
  #begun: RunWork<Structured> | undefined;
  #output: Promise<CompleteRunOutput<Structured>> | undefined;
  #chunks: AsyncGenerator<StreamChunk, FinishReason> | undefined;
  #unwatch = () => {};
  #textStream: AsyncIterable<string> | undefined;
  #objectStream: AsyncIterable<PartialValue<NonNullable<Structured>>> | undefined;
  /** Keeps the AsyncLocalStorage of the caller for all that the run calls, wherever it is read, awaited or cancelled. */
  readonly #caller = new AsyncResource("TroupeRun", { requireManualDestroy: true });
  /** A failure that the reader of the chunks has not received yet. */
  #unreadFailure: TroupeError | undefined;

  constructor(run: Run<Structured>, work: RunWork<Structured>) {
    this.#run = run;
    this.#work = work;
    // A caller that only reads the chunks receives a failure there.
    this.#result.promise.catch(() => undefined);
  }

  get runId(): string {
    return this.#run.runId;
  }

  get output(): Promise<CompleteRunOutput<Structured>> {
    return (this.#output ??= LazyPromise.of(this.#result.promise, () => this.#drive("output")));
  }

  get textStream(): AsyncIterable<string> {
    const next = () => this.#read("text");
    return (this.#textStream ??= textView(next, () => this.#leave("text")));
  }

  get objectStream(): AsyncIterable<PartialValue<NonNullable<Structured>>> {
    const open = () => this.#readObjects();
    return (this.#objectStream ??= objectView(open, () => this.#leave("objects")));
  }

  /** Drives the run to its end, without a stream. */
  run(): Promise<CompleteRunOutput<Structured>> {
    this.#drive("none");
    return this.#result.promise;
  }

  cancel(reason?: string): void {
    const why = reason === undefined ? "The run was cancelled." : `The run was cancelled: ${reason}`;
    this.#stop(new TroupeError("cancelled", why));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    return this.#read("chunks");
  }

  /** The reader leaves: unless the run has ended, it ends as cancelled. */
  return(): Promise<Step> {
    return this.#leave("chunks");
  }

  #read(reader: Reader): Promise<Step> {
    this.#reader ??= reader;
    if (this.#reader !== reader) return Promise.reject(alreadyRead(this.#reader));
    if (this.#hasLeft) return Promise.resolve(over);
    return new Promise((resolve, reject) => {
      this.#reads.push({ resolve, reject });
      if (this.#phase === "ended") this.#answerReads();
      else if (this.#phase === "idle") this.#begin();
      else if (this.#reads.length === 1) this.#caller.runInAsyncScope(this.#pull);
    });
  }

  /** Begins the run for the reader of its values. Returns undefined when the run is over. */
  #readObjects(): PartialAnswers | undefined {
    this.#reader ??= "objects";
    if (this.#reader !== "objects") throw alreadyRead(this.#reader);
    if (this.#work.isStructured === false) throw notStructured();
    if (this.#hasLeft) return undefined;
    const answers = new PartialAnswers();
    this.#run.partialAnswers = answers;
    if (this.#phase === "idle") this.#begin();
    return answers;
  }

  async #leave(reader: Reader): Promise<Step> {
    this.#reader ??= reader;
    if (this.#reader !== reader || this.#phase === "ended") return over;
    this.#hasLeft = true;
    this.#stop(new TroupeError("cancelled", "The reader left the stream before its end."));
    if (this.#phase !== "idle") await this.#result.promise.catch(() => undefined);
    return over;
  }

  #drive(reader: "output" | "none"): void {
    if (this.#phase !== "idle") return;
    this.#reader = reader;
    this.#begin();
  }

  #begin(): void {
    this.#caller.runInAsyncScope(() => this.#beginAsCaller());
  }

  #beginAsCaller(): void {
    const run = this.#run;
    const { limits, journal } = run.settings;
    const signals = journal === undefined ? run.settings.signals : [...run.settings.signals, journal.signal];
    const stop = (reason: TroupeError) => this.#stop(reason);
    run.start();
    run.meter.limit(limits.totalTokens, stop);
    this.#phase = "working";
    // Of a durable run the first attempt has told. A child run that is gone through again is told of again, before its other events.
    if (journal === undefined || journal.attempt === 1 || run.settings.parentRunId !== undefined)
      run.emit("run.start", { agentName: run.context.agentName, input: run.input });
    if (run.signal.aborted) this.#stop(toTroupeError(run.signal.reason));
    this.#unwatch = watchLimits({ signals, durationMs: limits.durationMs, onEnd: stop });
    // An attempt that had stopped before is over by now.
    if (this.#hasEnded) this.#unwatch();
    if (this.#phase === "working") void this.#prepare();
  }

  get #hasEnded(): boolean {
    return this.#phase === "ended";
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

  // These three are made once for a run, and not for each of its chunks.
  readonly #pull = (): void => {
    if (this.#phase !== "working" || this.#chunks === undefined) return;
    this.#chunks.next().then(this.#onStep, this.#onFailure);
  };
  readonly #onFailure = async (error: unknown): Promise<void> => await this.#fail(error);
  readonly #onStep = (step: IteratorResult<StreamChunk, FinishReason>): void => {
    if (this.#phase !== "working") return;
    if (step.done === true) {
      void this.#complete(step.value);
      return;
    }
    this.#reads.shift()?.resolve({ done: false, value: step.value });
    this.#emitChunk(step.value);
    if (this.#reads.length > 0 || !(this.#reader === "chunks" || this.#reader === "text")) this.#pull();
  };

  async #complete(finishReason: FinishReason): Promise<void> {
    this.#phase = "ending";
    try {
      const saved = this.#begun?.saveFinished?.();
      if (saved !== undefined) await this.#grace.wait(saved);
    } catch (error) {
      if (!this.#answersUnstored(error)) return await this.#fail(error);
    }
    if (this.#run.journal?.stopped !== undefined) return await this.#fail(this.#run.journal.signal.reason);
    const output = this.#run.toOutput("completed");
    await this.#callAtEnd(hookFailure("afterRun"), () => this.#begun?.onEnd?.({ output }));
    this.#close();
    const finish = finishChunk(finishReason, output);
    this.#emitChunk(finish);
    logRunEnd(this.#run, output);
    this.#run.emit("run.complete", { output });
    this.#result.resolve(output);
    endPartialAnswers(this.#run.partialAnswers, output.structured);
    this.#reads.shift()?.resolve({ done: false, value: finish });
    this.#answerReads();
  }

  /** Tells if the answer is delivered although its turn was not stored, and records that. */
  #answersUnstored(error: unknown): boolean {
    const run = this.#run;
    // A run that was ended while it was being stored has failed for that reason.
    if (this.#begun?.answersUnstored !== true || run.signal.aborted) return false;
    run.isStored = false;
    run.warn(answerNotStored.code, answerNotStored.message, { error });
    return true;
  }

  async #fail(thrown: unknown): Promise<void> {
    if (this.#isFailing || this.#phase === "ended") return;
    this.#isFailing = true;
    this.#phase = "ending";
    const { journal } = this.#run;
    if (thrown instanceof TroupeError && thrown.code === "storage_unavailable") journal?.failStorage(thrown);
    if (journal?.stopped !== undefined) return await this.#pause(journal);
    const error = toTroupeError(thrown, this.#run.signal, "The run");
    // Other work of the run is of no use any more.
    this.#run.abort(error);
    this.#chunks?.return("error").catch(() => undefined);
    this.#grace.start();
    await this.#callAtEnd(turnNotStored, () => this.#begun?.saveInterrupted?.());
    const failure = toRunError(error, this.#run);
    await this.#callAtEnd(hookFailure("onError"), () => this.#begun?.onEnd?.({ error: failure }));
    this.#close(failure);
    logRunEnd(this.#run, failure.output, failure.code);
    this.#run.emit("run.error", { error: failure });
    this.#result.reject(failure);
    this.#run.partialAnswers?.fail(failure);
    this.#unreadFailure = failure;
    this.#answerReads();
  }

  /** Leaves a durable run that another attempt goes on with: in silence, since it is not over. */
  async #pause({ signal, stopped }: Journal): Promise<void> {
    const paused = toTroupeError(signal.reason);
    this.#run.abort(paused);
    this.#chunks?.return("error").catch(() => undefined);
    this.#grace.start();
    if (stopped === "suspended") await this.#callAtEnd(waitNotStored, () => this.#begun?.suspend?.());
    this.#close(paused);
    this.#result.reject(paused);
    this.#run.partialAnswers?.fail(paused);
    this.#unreadFailure = paused;
    this.#answerReads();
  }

  /** Ends the run before its time; when this returns, its signal has aborted. */
  #stop(reason: TroupeError): void {
    this.#caller.runInAsyncScope(() => this.#stopAsCaller(reason));
  }

  #stopAsCaller(reason: TroupeError): void {
    if (this.#phase === "ended") return;
    this.#run.abort(reason);
    if (this.#phase === "working") void this.#fail(reason);
    // The turn is being stored: too late to take it back, too early to announce it.
    if (this.#phase === "ending") this.#grace.start();
  }

  /** Calls a function of the work at the end of the run. An error becomes a warning. */
  #callAtEnd(problem: Problem, call: () => void | Promise<void>): void | Promise<void> {
    try {
      const pending = call();
      return pending === undefined ? undefined : this.#waitAtEnd(problem, pending);
    } catch (error) {
      this.#run.warn(problem.code, problem.message, { error });
    }
  }

  async #waitAtEnd(problem: Problem, pending: Promise<void>): Promise<void> {
    try {
      await this.#grace.wait(pending);
    } catch (error) {
      this.#run.warn(problem.code, problem.message, { error });
    }
  }

  #close(failure?: TroupeError): void {
    this.#phase = "ended";
    this.#run.modelCalls.close(failure);
    this.#unwatch();
    this.#grace.stop();
    this.#begun?.release?.();
  }

  /** Settles the reads that wait at the end: the first is given a failure, the others are done. */
  #answerReads(): void {
    for (const read of this.#reads.splice(0)) {
      const failure = this.#unreadFailure;
      this.#unreadFailure = undefined;
      if (failure === undefined) read.resolve(over);
      else read.reject(failure);
    }
  }

  #emitChunk(chunk: StreamChunk): void {
    const run = this.#run;
    if (this.#reader !== "none" && run.eventBus.has("run.stream.chunk")) run.emit("run.stream.chunk", { chunk });
  }
}

function endPartialAnswers(answers: PartialAnswers | undefined, structured: unknown): void {
  if (structured === null || structured === undefined) answers?.fail(notStructured());
  else answers?.finish(structured);
}

function finishChunk(finishReason: FinishReason, { usage, stored }: CompleteRunOutput): StreamChunk {
  return { type: "finish", finishReason, usage, ...(stored === false && { stored }) };
}

/** The code and message of the warning that tells of a failure at the end of a run. */
type Problem = { readonly code: string; readonly message: string };

const turnNotStored: Problem = { code: "turn_not_stored", message: "The interrupted turn could not be stored." };

const waitNotStored: Problem = { code: "wait_not_stored", message: "The session could not note that its run waits." };

const answerNotStored: Problem = {
  code: "turn_not_stored",
  message: "The turn of an answer could not be stored. The answer is delivered without.",
};

function hookFailure(hook: "afterRun" | "onError"): Problem {
  return { code: "hook_failed", message: `The hook ${hook} failed.` };
}

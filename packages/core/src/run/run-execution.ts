import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import { LazyPromise } from "../util/lazy-promise.ts";
import { Grace } from "./grace.ts";
import { openRun } from "./open-run.ts";
import { RunError } from "./run-error.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunOutput } from "./run-output.ts";
import type { ActiveRun, RunEnd, RunSpec, RunWork } from "./run-work.ts";
import type { RunStream } from "./runnable.ts";
import { watchEnd } from "./watch-end.ts";

type Step = IteratorResult<StreamChunk, undefined>;
type Read = { resolve: (step: Step) => void; reject: (error: unknown) => void };

const over: Step = { done: true, value: undefined };

/**
 * One run, from its start to its one end. Whoever reads its chunks drives it or, when nobody does, its output; no chunk is
 * asked for before somebody wants it.
 */
export class RunExecution<Structured> implements RunStream<Structured>, AsyncIterator<StreamChunk, undefined> {
  readonly runId: string;
  readonly #spec: RunSpec<Structured>;
  readonly #result = Promise.withResolvers<RunOutput<Structured>>();
  readonly #abort = new AbortController();
  readonly #grace = new Grace();
  /** Who waits for a chunk; a reader may ask for several at once. */
  readonly #reads: Read[] = [];
  /** `ending`: what is to last is being stored, and whatever else the work does counts no more. */
  #phase: "idle" | "working" | "ending" | "ended" = "idle";
  #isFailing = false;
  /** Who reads: the output passes over the chunks, and a run that does not stream has none. */
  #reader: "stream" | "output" | "nobody" = "stream";
  #hasLeft = false;
  #output: Promise<RunOutput<Structured>> | undefined;
  #run: ActiveRun<Structured> | undefined;
  #work: RunWork<Structured> | undefined;
  #chunks: AsyncGenerator<StreamChunk, FinishReason> | undefined;
  #unwatch = () => {};
  /** A failure that the reader of the chunks has yet to hear of. */
  #untold: RunError | undefined;

  constructor(spec: RunSpec<Structured>) {
    this.#spec = spec;
    this.runId = spec.request.runId;
    // Who only reads the chunks hears of a failure there.
    this.#result.promise.catch(() => undefined);
  }

  get output(): Promise<RunOutput<Structured>> {
    return (this.#output ??= LazyPromise.of(this.#result.promise, () => this.#drive("output")));
  }

  /** Drives the run to its end, without a stream. */
  run(): Promise<RunOutput<Structured>> {
    this.#drive("nobody");
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
    if (this.#reader !== "stream") return Promise.reject(alreadyDriven());
    if (this.#hasLeft) return Promise.resolve(over);
    return new Promise((resolve, reject) => {
      this.#reads.push({ resolve, reject });
      if (this.#phase === "ended") this.#answerReads();
      else if (this.#phase === "idle") this.#begin();
      else if (this.#reads.length === 1) this.#pull();
    });
  }

  /** The reader leaves: unless the run has ended, it ends as cancelled. */
  async return(): Promise<Step> {
    if (this.#reader !== "stream" || this.#phase === "ended") return over;
    this.#hasLeft = true;
    this.#stop(new TroupeError("cancelled", "The reader left the stream before its end."));
    if (this.#phase !== "idle") await this.#result.promise.catch(() => undefined);
    return over;
  }

  #drive(reader: "output" | "nobody"): void {
    if (this.#phase !== "idle") return;
    this.#reader = reader;
    this.#begin();
  }

  #begin(): void {
    const { runId } = this;
    const { request, input, name } = this.#spec;
    const stop = (reason: TroupeError) => this.#stop(reason);
    this.#run = openRun(this.#spec, { runId, signal: this.#abort.signal, onExceeded: stop });
    this.#phase = "working";
    this.#emit("run.start", { agentName: name, input });
    if (this.#abort.signal.aborted) this.#stop(toTroupeError(this.#abort.signal.reason));
    this.#unwatch = watchEnd({ signals: request.signals, durationMs: request.limits.durationMs, onEnd: stop });
    if (this.#phase === "working") void this.#prepare(this.#run);
  }

  async #prepare(run: ActiveRun<Structured>): Promise<void> {
    try {
      this.#work = this.#spec.work(run);
      this.#chunks = await this.#work.begin();
      this.#pull();
    } catch (error) {
      await this.#fail(error);
    }
  }

  #pull(): void {
    if (this.#phase !== "working" || this.#chunks === undefined) return;
    this.#chunks.next().then(this.#onStep, this.#onFailure);
  }

  // Made once for a run, and not for each of its chunks.
  readonly #onFailure = async (error: unknown): Promise<void> => await this.#fail(error);
  readonly #onStep = (step: IteratorResult<StreamChunk, FinishReason>): void => {
    if (this.#phase !== "working") return;
    if (step.done === true) {
      void this.#complete(step.value);
      return;
    }
    this.#reads.shift()?.resolve({ done: false, value: step.value });
    this.#emitChunk(step.value);
    if (this.#reader !== "stream" || this.#reads.length > 0) this.#pull();
  };

  async #complete(finishReason: FinishReason): Promise<void> {
    this.#phase = "ending";
    try {
      await this.#grace.wait(this.#work?.commit?.());
    } catch (error) {
      await this.#fail(error);
      return;
    }
    const output = this.#recordOf().toOutput("completed");
    await this.#tell({ output });
    this.#close();
    const finish: StreamChunk = { type: "finish", finishReason, usage: output.usage };
    this.#emitChunk(finish);
    this.#emit("run.complete", { output });
    this.#result.resolve(output);
    this.#reads.shift()?.resolve({ done: false, value: finish });
    this.#answerReads();
  }

  async #fail(thrown: unknown): Promise<void> {
    if (this.#isFailing || this.#phase === "ended") return;
    this.#isFailing = true;
    this.#phase = "ending";
    const error = toTroupeError(thrown, this.#abort.signal);
    // What still runs beside what failed is of no use any more.
    this.#abort.abort(error);
    this.#chunks?.return("error").catch(() => undefined);
    this.#grace.press();
    await this.#tryAtEnd("What the run did could not be stored.", () => this.#work?.salvage?.());
    const { code, message, fields } = error;
    const output = this.#recordOf().toOutput("error");
    const failure = new RunError(code, message, { fields, cause: error, output });
    await this.#tell({ error: failure });
    this.#close();
    this.#emit("run.error", { error: failure });
    this.#result.reject(failure);
    this.#untold = failure;
    this.#answerReads();
  }

  /** Ends the run before its time; when this returns, its signal has aborted. */
  #stop(reason: TroupeError): void {
    if (this.#phase === "ended") return;
    this.#abort.abort(reason);
    if (this.#phase === "working") void this.#fail(reason);
    // The answer is being stored: it is too late to take it back, and too early to say that it is there.
    if (this.#phase === "ending") this.#grace.press();
  }

  async #tell(end: RunEnd<Structured>): Promise<void> {
    await this.#tryAtEnd("Something that heard of the run's end failed.", () => this.#work?.ended?.(end));
  }

  async #tryAtEnd(problem: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await this.#grace.wait(work());
    } catch (error) {
      this.#run?.context.logger.error(problem, { error });
    }
  }

  #close(): void {
    this.#phase = "ended";
    this.#unwatch();
    this.#grace.stop();
    this.#work?.release?.();
  }

  /** After the end there are no more chunks: one reader hears of a failure, the others that it is over. */
  #answerReads(): void {
    for (const read of this.#reads.splice(0)) {
      const failure = this.#untold;
      this.#untold = undefined;
      if (failure === undefined) read.resolve(over);
      else read.reject(failure);
    }
  }

  #recordOf() {
    if (this.#run === undefined) throw new TroupeError("internal", "A run ended that had not begun.");
    return this.#run.record;
  }

  #emitChunk(chunk: StreamChunk): void {
    if (this.#reader !== "nobody" && this.#spec.eventBus.has("run.stream.chunk"))
      this.#emit("run.stream.chunk", { chunk });
  }

  #emit<Name extends keyof RunEvents>(name: Name, data: Omit<RunEvents[Name], "runId" | "parentRunId">): void {
    const { eventBus, request } = this.#spec;
    if (!eventBus.has(name)) return;
    const ids = { runId: this.runId, ...(request.parentRunId !== undefined && { parentRunId: request.parentRunId }) };
    eventBus.emit(name, { ...ids, ...data } as RunEvents[Name]);
  }
}

function alreadyDriven(): TroupeError {
  return new TroupeError(
    "conflict",
    "The chunks of this run go nowhere: its output was awaited before anybody read them. Read the stream first, or await its output alone.",
  );
}

import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { fillOutput } from "../../agents/run/complete-output.ts";
import { toPublicOutput } from "../../agents/run/run-output.ts";
import type { PublicOutput, RunOutput } from "../../agents/run/run-output.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { RunChunk } from "../../agents/run/run-wait.ts";
import type { WorkflowChunk } from "../../agents/workflow/workflow-result.ts";
import type { RunKind } from "../../runs/record/run-view.ts";
import { toPublicResult } from "../public/public-chunk.ts";
import { reachOf } from "../request/run-fields.ts";
import type { RequestedRun } from "../request/run-fields.ts";
import type { ServedWorkflow } from "../request/served-registry.ts";
import type { ActiveRuns } from "./active-runs.ts";
import type { PublicResult, ServedEvent, SettledRun } from "./served-event.ts";

/**
 * The error of all runs whose clients disconnected. It is shared: its stack trace would be useless, and a thousand
 * clients may disconnect at once.
 */
const disconnected = new TroupeError("cancelled", "The client disconnected before the answer.");

type Chunks = AsyncIterable<RunChunk> & { readonly output?: Promise<RunOutput> };

/**
 * A run in progress for a waiting client, without a log. It starts with the first call of `events` or `settled`, only
 * one of which may be called, once. From then on it is registered as active until it is over. It ends early when its
 * client disconnects, when it is cancelled by its id, and when a shutdown ends the active runs.
 */
export class LiveRun {
  readonly isStored = false;
  readonly isDurable = false;
  /** A live run is over when its answer is. */
  readonly over = undefined;
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly #requested: RequestedRun<unknown, unknown>;
  readonly #abort = new AbortController();
  /** A signal that aborts when the run is cancelled, including when its client has disconnected. */
  readonly signal: AbortSignal = this.#abort.signal;
  readonly #activeRuns: ActiveRuns;
  #unregister: (() => void) | undefined;

  /** Called by `ServedRuns.begin`. Throws `unavailable` while a shutdown drains. */
  constructor(
    requested: RequestedRun<unknown, unknown>,
    { kind, name }: { readonly kind: RunKind; readonly name: string },
    activeRuns: ActiveRuns,
  ) {
    this.runId = requested.opts.runId;
    this.sessionId = requested.opts.sessionId;
    this.kind = kind;
    this.name = name;
    this.#requested = requested;
    this.#activeRuns = activeRuns;
    activeRuns.checkOpen();
  }

  /** Starts the run and returns its events. Throws the error of a run that cannot start. */
  events(): AsyncIterableIterator<ServedEvent, undefined> {
    try {
      this.#start();
      return new LiveEvents(this.#open(), this);
    } catch (thrown) {
      this.finish();
      throw this.toError(thrown);
    }
  }

  /** Starts the run and resolves with its public output once it is over. Rejects with the failure of the run. */
  async settled(): Promise<SettledRun> {
    try {
      this.#start();
      return { output: await this.#run() };
    } catch (thrown) {
      throw this.toError(thrown);
    } finally {
      this.finish();
    }
  }

  /** Cancels the run, because its client disconnected before the end of the answer. */
  disconnect(): void {
    this.#abort.abort(disconnected);
  }

  /** Converts a thrown value to the error of the failed run. For a cancelled run, returns the reason. */
  toError(thrown: unknown): TroupeError {
    return toTroupeError(thrown, this.signal);
  }

  /** Marks the run as over. Called by the run itself; its answer may still be in transmission. */
  finish(): void {
    this.#unregister?.();
  }

  #start(): void {
    this.signal.throwIfAborted();
    const cancel = (reason: TroupeError): void => this.#abort.abort(reason);
    this.#unregister = this.#activeRuns.begin(this.runId, reachOf(this.#requested), cancel);
  }

  async #run(): Promise<PublicOutput | PublicResult> {
    const { subject, input, opts } = this.#requested;
    if (this.kind === "workflow") return toPublicResult(await (subject as ServedWorkflow).run(this.#workflowOpts()));
    const startedAt = performance.now();
    const output = await (subject as Runnable).run(input as never, { ...opts, signal: this.signal });
    return toPublicOutput(fillOutput(output, opts, startedAt));
  }

  /** Starts the run as a stream. `readOutput` returns the output once all chunks are read. */
  #open(): OpenedRun {
    const { subject, input, opts } = this.#requested;
    if (this.kind === "workflow") {
      const chunks = (subject as ServedWorkflow).stream(this.#workflowOpts()) as AsyncIterable<RunChunk>;
      return { chunks, readOutput: async (last) => toPublicResult((last as WorkflowFinish).result) };
    }
    const startedAt = performance.now();
    const chunks: Chunks = (subject as Runnable).stream(input as never, { ...opts, signal: this.signal });
    const readOutput = async () => toPublicOutput(fillOutput((await chunks.output) as RunOutput, opts, startedAt));
    return { chunks, readOutput };
  }

  #workflowOpts() {
    const { input, opts } = this.#requested;
    return { ...opts, signal: this.signal, ...(input !== undefined && { input: input as object | string }) };
  }
}

type WorkflowFinish = Extract<WorkflowChunk<object>, { type: "finish" }>;

/**
 * The chunks of a run that has started, and a function that reads its output from the last chunk or from the stream.
 */
type OpenedRun = {
  readonly chunks: AsyncIterable<RunChunk>;
  readonly readOutput: (last: RunChunk | undefined) => Promise<PublicOutput | PublicResult>;
};

/**
 * Converts the chunks of a live run, and its end, to events. It is not a generator, because a generator would wait
 * twice for each chunk.
 */
class LiveEvents implements AsyncIterableIterator<ServedEvent, undefined> {
  readonly #run: LiveRun;
  readonly #chunks: AsyncIterator<RunChunk, unknown>;
  readonly #readOutput: OpenedRun["readOutput"];
  #last: RunChunk | undefined;
  #isOver = false;

  constructor({ chunks, readOutput }: OpenedRun, run: LiveRun) {
    this.#run = run;
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#readOutput = readOutput;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ServedEvent, undefined>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    try {
      // A third party's runnable may return or throw anything.
      return Promise.resolve(this.#chunks.next()).then(this.#onStep, this.#onFailure);
    } catch (thrown) {
      return Promise.resolve(this.#onFailure(thrown));
    }
  }

  async return(): Promise<IteratorResult<ServedEvent, undefined>> {
    if (!this.#isOver) {
      this.#isOver = true;
      try {
        await this.#chunks.return?.();
      } finally {
        this.#run.finish();
      }
    }
    return { done: true, value: undefined };
  }

  // This function is created once for a stream instead of once for each chunk.
  readonly #onStep = ({ done, value }: IteratorResult<RunChunk, unknown>): IteratorResult<ServedEvent, undefined> => {
    if (done === true) return this.#end({ type: "end", readOutput: async () => await this.#readOutput(this.#last) });
    this.#last = value;
    return { done: false, value: { type: "chunk", chunk: value } };
  };
  readonly #onFailure = (thrown: unknown): IteratorResult<ServedEvent, undefined> =>
    this.#end({ type: "failure", error: this.#run.toError(thrown) });

  #end(value: ServedEvent): IteratorResult<ServedEvent, undefined> {
    this.#isOver = true;
    this.#run.finish();
    return { done: false, value };
  }
}

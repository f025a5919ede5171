import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import { PendingReads } from "./pending-reads.ts";
import { LazyPromise } from "../../base/async/lazy-promise.ts";
import { RunLifecycle } from "./run-lifecycle.ts";
import type { CompleteRunOutput } from "./run-output.ts";
import type { RunWork } from "./run-work.ts";
import type { Run } from "./run.ts";
import type { RunStream } from "./runnable.ts";
import { alreadyRead, notStructured, objectView, over, PartialAnswers, textView } from "./stream-views.ts";
import type { PartialValue, ReadChunk, Reader } from "./stream-views.ts";

/**
 * A run as its caller drives it: by the reads of its chunks or, if its output is awaited first, by that wait. No chunk
 * is produced before it is requested.
 */
export class RunExecution<Structured>
  implements RunStream<CompleteRunOutput<Structured>>, AsyncIterator<StreamChunk, undefined>
{
  readonly #run: Run<Structured>;
  readonly #work: RunWork<Structured>;
  readonly #lifecycle: RunLifecycle<Structured>;
  readonly #reads = new PendingReads();
  #hasLeft = false;
  #output: Promise<CompleteRunOutput<Structured>> | undefined;
  #textStream: AsyncIterable<string> | undefined;
  #objectStream: AsyncIterable<PartialValue<NonNullable<Structured>>> | undefined;

  constructor(run: Run<Structured>, work: RunWork<Structured>) {
    this.#run = run;
    this.#work = work;
    this.#lifecycle = new RunLifecycle(run, work, this.#reads);
  }

  get runId(): string {
    return this.#run.runId;
  }

  get output(): Promise<CompleteRunOutput<Structured>> {
    return (this.#output ??= LazyPromise.of(this.#lifecycle.result, () => this.#drive("output")));
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
    return this.#lifecycle.result;
  }

  cancel(reason?: string): void {
    const why = reason === undefined ? "The run was cancelled." : `The run was cancelled: ${reason}`;
    this.#lifecycle.stop(new TroupeError("cancelled", why));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<ReadChunk> {
    return this.#read("chunks");
  }

  /** Called when the reader of the chunks leaves the stream. Cancels the run unless it has ended. */
  return(): Promise<ReadChunk> {
    return this.#leave("chunks");
  }

  #read(reader: Reader): Promise<ReadChunk> {
    this.#reads.reader ??= reader;
    if (this.#reads.reader !== reader) return Promise.reject(alreadyRead(this.#reads.reader));
    if (this.#hasLeft) return Promise.resolve(over);
    const read = this.#reads.add();
    if (this.#lifecycle.phase === "ended") this.#reads.end();
    else if (this.#lifecycle.phase === "idle") this.#lifecycle.begin();
    else if (this.#reads.size === 1) this.#lifecycle.pull();
    return read;
  }

  /** Begins the run for the reader of its `objectStream`. Returns undefined if that reader has left. */
  #readObjects(): PartialAnswers | undefined {
    this.#reads.reader ??= "objects";
    if (this.#reads.reader !== "objects") throw alreadyRead(this.#reads.reader);
    if (this.#work.isStructured === false) throw notStructured();
    if (this.#hasLeft) return undefined;
    const answers = new PartialAnswers();
    this.#run.partialAnswers = answers;
    if (this.#lifecycle.phase === "idle") this.#lifecycle.begin();
    return answers;
  }

  async #leave(reader: Reader): Promise<ReadChunk> {
    this.#reads.reader ??= reader;
    if (this.#reads.reader !== reader || this.#lifecycle.phase === "ended") return over;
    this.#hasLeft = true;
    this.#lifecycle.stop(new TroupeError("cancelled", "The reader left the stream before its end."));
    if (this.#lifecycle.phase !== "idle") await this.#lifecycle.result.catch(() => undefined);
    return over;
  }

  #drive(reader: "output" | "none"): void {
    if (this.#lifecycle.phase !== "idle") return;
    this.#reads.reader = reader;
    this.#lifecycle.begin();
  }
}

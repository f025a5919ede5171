import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { createId } from "../../base/util/create-id.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { logRecord, toLoggable } from "./log-entry.ts";
import type {
  LeaveReason,
  LoggedCall,
  LogEnd,
  LogEntry,
  LogRecord,
  RunChunk,
  RunWait,
  StepResult,
} from "./log-entry.ts";
import type { LogWriter, RunLog } from "./log-writer.ts";
import { readLog } from "./read-log.ts";
import { RunPaused } from "./run-paused.ts";
import type { PauseReason } from "./run-paused.ts";

/** The run that an attempt is at, its log and the writer of it, and what the log says of the one who performs it. */
export type AttemptInit = {
  readonly runId: string;
  readonly storage: StorageDriver;
  readonly writer: LogWriter;
  /** An id of the performing process. */
  readonly node: string;
  /** A description of the tools and steps that the run is performed with. */
  readonly print: string;
  /** The answers to waits that are stored, by the id of the wait. */
  readonly answers?: ReadonlyMap<string, Json>;
};

/** The key of a step that is a model call. */
const isModelCall = /(^|\/)m\/\d+$/;

/** A call of a tool that was logged, and whose result never was. `times`: how often it has been made. */
export type InterruptedCall = LoggedCall & { readonly times: number };

/** The attempts that a log has before this one: their number, the process of the last one, and when the first one began. */
export type LoggedAttempts = { readonly attempts: number; readonly node: string; readonly startedAt?: number };

/** A step that is under way. Call `done` or `leave` when it is over. */
export type OpenStep = {
  /** Notes that a chunk of the stream belongs to this step, which counts only once the step is done. */
  tag(chunk: object): void;
  /** Logs the result. */
  done(value: unknown, usage?: TokenUsage): void;
  /** Leaves the step without a result: the next attempt makes it again. Does nothing after `done`. */
  leave(): void;
};

/** One attempt at a run: what the log held when it began, and what it adds. All journals of the run share it. */
export class Attempt {
  readonly runId: string;
  readonly results = new Map<string, StepResult>();
  /** Calls of earlier attempts without a result. */
  readonly calls = new Map<string, InterruptedCall>();
  readonly answers: ReadonlyMap<string, Json>;
  /** Ends the run of an attempt that is to do nothing new. */
  #endRun: (() => void) | undefined;
  number = 1;
  ended: LogEnd | undefined;
  /** The attempts before this one. */
  logged: LoggedAttempts | undefined;
  /** Attempts in a row, with this one, that finished no step and did not say that they left. */
  fruitlessAttempts = 1;
  /** Attempts in a row that finished no step because they could not reach the session. */
  storageFailures = 0;
  stopped: PauseReason | undefined;
  /** All waits in the log, by id. */
  readonly #knownWaits = new Map<string, RunWait>();
  /** Those that this attempt has come to, by the step. */
  readonly #waiting = new Map<string, RunWait>();
  /** The steps that are under way. */
  readonly #open = new Set<string>();
  /** Steps with chunks in the log and no result. */
  readonly #unfinished = new Set<string>();
  /** Chunks of no step that earlier attempts have logged, each with how often: a replay yields them again. */
  readonly #loggedChunks = new Map<string, number>();
  readonly #stepOfChunk = new WeakMap<object, string>();
  readonly #abort = new AbortController();
  /** Rejects when the attempt stops. */
  readonly #stopped = Promise.withResolvers<never>();
  readonly #startedAt = performance.now();
  #performedBefore = 0;
  #records = 0;
  #hasChunk = false;
  #hasEnd = false;
  /** While the log is read: tells if the last attempt in it has finished a step. */
  #wasFruitful = true;
  #log!: RunLog;

  private constructor({ runId, answers = new Map() }: AttemptInit) {
    this.runId = runId;
    this.answers = answers;
  }

  static async begin(init: AttemptInit): Promise<Attempt> {
    const attempt = new Attempt(init);
    const { runId, storage, writer, node, print } = init;
    for await (const page of readLog(storage, runId)) {
      for (const { record } of page) for (const entry of record.entries) attempt.#read(entry);
      attempt.#records += page.length;
    }
    if (attempt.ended !== undefined) return attempt;
    attempt.#openLog(writer);
    const left = [...attempt.#unfinished];
    attempt.#unfinished.clear();
    const [id, at] = [createId(), Date.now()];
    await attempt.add({ t: "attempt", n: attempt.number, id, at, node, print, ...(left.length > 0 && { void: left }) });
    return attempt;
  }

  /** Returns the first record of the log of a run, which begins its first attempt. */
  static firstRecord({ node, print }: Pick<AttemptInit, "node" | "print">): LogRecord {
    return logRecord([{ t: "attempt", n: 1, id: createId(), at: Date.now(), node, print }]);
  }

  /** Goes on with a first attempt, of which nothing but that record is stored. */
  static afterFirstRecord(init: AttemptInit): Attempt {
    const attempt = new Attempt(init);
    attempt.#records = 1;
    attempt.#openLog(init.writer);
    return attempt;
  }

  #openLog(writer: LogWriter): void {
    this.#log = writer.open(this.runId, this.#records + 1);
    this.#log.onFailure = (paused) => this.#stopAs(paused);
    // An attempt may stop while no step waits.
    this.#stopped.promise.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get performedMs(): number {
    return this.#performedBefore + elapsedMs(this.#startedAt);
  }

  get waits(): readonly RunWait[] {
    return [...this.#waiting.values()];
  }

  knownWait(id: string): RunWait | undefined {
    return this.#knownWaits.get(id);
  }

  /** Tells if an earlier attempt has logged something of a step, or of a part of the run that the step is: a result, a call, a wait. */
  hasBegun(step: string): boolean {
    if (this.number === 1) return false;
    const isOfStep = (other: string) => other === step || other.startsWith(`${step}/`);
    const asked = [...this.#knownWaits.keys()].map((id) => id.replaceAll(".", "/"));
    return [...this.results.keys(), ...this.calls.keys(), ...asked].some(isOfStep);
  }

  /** Logs an entry at once, and waits until it is stored. */
  async add(entry: LogEntry): Promise<void> {
    this.#hasEnd ||= entry.t === "end";
    this.#log.add(entry, true);
    await this.#log.stored();
  }

  async flush(): Promise<void> {
    this.#log.urge();
    await this.#log.stored();
  }

  /** Calls `endRun` once the attempt comes to a step that is not done, or to a wait without an answer. */
  endAtNewWork(endRun: () => void): void {
    this.#endRun = endRun;
  }

  beforeWork(): Promise<void> | undefined {
    return this.#endRun === undefined ? undefined : new Promise((resolve) => setImmediate(resolve));
  }

  beginStep(step: string): OpenStep {
    this.#onNewWork(step);
    const startedAt = performance.now();
    this.#open.add(step);
    return {
      tag: (chunk) => void this.#stepOfChunk.set(chunk, step),
      done: (value, usage) => {
        this.#finish(step, { value: toLoggable(value) as Json, ms: elapsedMs(startedAt), ...(usage && { usage }) });
        this.#close(step);
      },
      leave: () => this.#close(step),
    };
  }

  /** Logs the wait of a step. Rejects when the attempt stops. */
  async wait(step: string, wait: RunWait): Promise<never> {
    this.#waiting.set(step, wait);
    if (!this.#knownWaits.has(wait.id)) {
      this.#knownWaits.set(wait.id, wait);
      this.#log.add({ t: "wait", wait, performedMs: this.performedMs }, true);
    }
    this.#onNewWork(step);
    this.#suspendIfIdle();
    return await this.#stopped.promise;
  }

  writeChunk(chunk: RunChunk, inner: object): Promise<void> | undefined {
    if (this.stopped !== undefined) return undefined;
    const step = this.#stepOfChunk.get(inner) ?? "";
    if (step === "" && this.#wasLogged(chunk)) return undefined;
    this.#log.add({ t: "chunks", step, chunks: [isText(chunk) ? chunk : toLoggable(chunk)] }, !this.#hasChunk);
    this.#hasChunk = true;
    return this.#log.isFull ? this.#log.stored().catch(() => undefined) : undefined;
  }

  stop(reason: PauseReason, cause?: unknown): void {
    this.#stopAs(new RunPaused(reason, cause));
  }

  #onNewWork(step: string): void {
    // A model is not called at all. Of tool calls that ran beside another one, what is stored is taken in first.
    if (isModelCall.test(step)) this.#endRun?.();
    else if (this.#endRun !== undefined) setImmediate(this.#endRun);
  }

  #stopAs(paused: RunPaused): void {
    if (this.stopped !== undefined) return;
    this.stopped = paused.reason;
    // What was done before a release or a failure counts. Of a run that others go on with, nothing may be added.
    if (paused.reason === "released" || paused.reason === "failed") this.#leave(paused.reason);
    else this.#log.fail(paused);
    this.#stopped.reject(paused);
    this.#abort.abort(paused);
  }

  /** Closes the log with a word that the attempt leaves: one that did not say so may have ended its process. */
  #leave(why: LeaveReason): void {
    if (!this.#hasEnd) this.#log.add({ t: "left", why }, true);
    this.#log.close();
  }

  #finish(step: string, result: StepResult): void {
    if (this.stopped !== undefined) return;
    this.results.set(step, result);
    this.calls.delete(step);
    this.#log.add({ t: "done", step, at: Date.now(), ...result });
  }

  #close(step: string): void {
    if (this.#open.delete(step)) this.#suspendIfIdle();
  }

  /** Suspends the run when each step that is under way waits, or has a part that waits. */
  #suspendIfIdle(): void {
    if (this.#waiting.size === 0) return;
    // Later: what has just ended may lead to the next step.
    setImmediate(() => {
      if (this.stopped !== undefined || !this.#isIdle()) return;
      this.#log.stored().then(
        () => this.#isIdle() && this.stop("suspended"),
        () => undefined,
      );
    });
  }

  #isIdle(): boolean {
    const waiting = [...this.#waiting.keys()];
    return [...this.#open].every((step) => waiting.some((other) => other === step || other.startsWith(`${step}/`)));
  }

  /** Tells, once for each time that it was logged, if an earlier attempt has logged a chunk of no step. */
  #wasLogged(chunk: RunChunk): boolean {
    if (this.#loggedChunks.size === 0) return false;
    const key = keyOfChunk(chunk);
    const left = this.#loggedChunks.get(key) ?? 0;
    if (left > 0) this.#loggedChunks.set(key, left - 1);
    return left > 0;
  }

  #read(entry: LogEntry): void {
    switch (entry.t) {
      case "attempt":
        return this.#readAttempt(entry);
      case "chunks":
        return this.#readChunks(entry);
      case "call":
        return void this.calls.set(entry.step, { ...entry, times: (this.calls.get(entry.step)?.times ?? 0) + 1 });
      case "done": {
        const { t: _, step, at: _at, ...result } = entry;
        this.results.set(step, result);
        this.calls.delete(step);
        this.#unfinished.delete(step);
        return this.#readProgress();
      }
      case "wait":
        this.#knownWaits.set(entry.wait.id, entry.wait);
        this.#performedBefore = entry.performedMs;
        return this.#readProgress();
      case "left":
        return this.#readLeft(entry.why);
      default:
        this.ended = entry;
    }
  }

  #readAttempt({ n, node, at }: Extract<LogEntry, { t: "attempt" }>): void {
    this.number = n + 1;
    const startedAt = this.logged?.startedAt ?? at;
    this.logged = { attempts: n, node, ...(startedAt !== undefined && { startedAt }) };
    this.fruitlessAttempts += 1;
    this.#wasFruitful = false;
    this.#unfinished.clear();
  }

  #readProgress(): void {
    this.#wasFruitful = true;
    this.fruitlessAttempts = 1;
    this.storageFailures = 0;
  }

  /** An attempt that has finished a step counts for nothing any more. */
  #readLeft(why: LeaveReason): void {
    if (this.#wasFruitful) return;
    this.fruitlessAttempts -= 1;
    if (why === "failed") this.storageFailures += 1;
  }

  #readChunks({ step, chunks }: Extract<LogEntry, { t: "chunks" }>): void {
    if (step !== "") {
      this.#unfinished.add(step);
      return;
    }
    for (const chunk of chunks) {
      const key = keyOfChunk(chunk);
      this.#loggedChunks.set(key, (this.#loggedChunks.get(key) ?? 0) + 1);
    }
  }
}

/** Text of a model is well-formed already, and most chunks are text. */
function isText({ type }: RunChunk): boolean {
  return type === "text" || type === "thinking";
}

/** Returns a string that is equal for chunks that differ in nothing but durations, which differ in each attempt. */
function keyOfChunk(chunk: RunChunk): string {
  return JSON.stringify(toLoggable(chunk), (name, value: unknown) => (name === "durationMs" ? undefined : value));
}

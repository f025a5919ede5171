import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { Attempt } from "./attempt.ts";
import type { AttemptInit, InterruptedCall, LoggedAttempts, OpenStep } from "./attempt.ts";
import { toLoggable } from "./log-entry.ts";
import type { LoggedCall, LogEnd, LogRecord, RunChunk, RunWait, StepResult, WaitKind } from "./log-entry.ts";
import type { PauseReason } from "./run-paused.ts";

/** A wait as a step asks for it: its kind, the facts for the one who answers, and how long it may last. */
export type WaitRequest = Pick<RunWait, "kind" | "about" | "until" | "toolCallId" | "argsSchema">;

/** Attempts in a row without a finished step, of which the last one ends its run when the session cannot be reached. */
const mostStorageFailures = 3;
/** Milliseconds for which the stored start of a call says that no other process is at its run: engines wait longer for a process. */
const freshMs = 300;
/** The number of times that a start is logged which was late. Then it is the storage that is slow, and the process lives. */
const mostStarts = 3;

/**
 * The journal of one attempt at a durable run. Each step of the run (a model call, a tool call, a function) is logged under
 * a key, and a later attempt gets its result from here instead of doing it again. Parts of the run and child runs have a
 * journal of their own over the same attempt, whose keys begin with theirs.
 */
export class Journal {
  readonly #attempt: Attempt;
  /** Empty, or ends with `/`. */
  readonly #scope: string;
  #children = 0;

  private constructor(attempt: Attempt, scope: string) {
    this.#attempt = attempt;
    this.#scope = scope;
  }

  /**
   * Begins an attempt: reads the log to its end and stores that a new attempt follows. An attempt that writes to the log after that
   * without having read it is overtaken. Rejects with `RunPaused` when another attempt was first.
   */
  static async open(init: AttemptInit): Promise<Journal> {
    return new Journal(await Attempt.begin(init), "");
  }

  /** Returns the first record of the log of a run that begins when it is stored: `openFirst` goes on from there. */
  static firstRecord(init: Pick<AttemptInit, "node" | "print">): LogRecord {
    return Attempt.firstRecord(init);
  }

  /**
   * Goes on with the first attempt at a run, whose first record the caller has stored. There is nothing to read: another
   * attempt that has come meanwhile has taken the next number, and the first write finds that.
   */
  static openFirst(init: AttemptInit): Journal {
    return new Journal(Attempt.afterFirstRecord(init), "");
  }

  get runId(): string {
    return this.#attempt.runId;
  }

  /** The number of the attempt, from 1. */
  get attempt(): number {
    return this.#attempt.number;
  }

  /** The end of a run that was over before this attempt. Then the attempt has not been logged, and nothing is to be done. */
  get ended(): LogEnd | undefined {
    return this.#attempt.ended;
  }

  /** The attempts that the log had when this one began: a record of the run may know of fewer, after a crash. */
  get logged(): LoggedAttempts | undefined {
    return this.#attempt.logged;
  }

  /** The attempts in a row, this one included, since a step was done. */
  get fruitlessAttempts(): number {
    return this.#attempt.fruitlessAttempts;
  }

  /** True when a step of the run is done. */
  get hasResults(): boolean {
    return this.#attempt.results.size > 0;
  }

  /** Aborts, with a `RunPaused`, when the attempt stops before the run's end. */
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** The reason why the attempt stopped before the run's end. */
  get stopped(): PauseReason | undefined {
    return this.#attempt.stopped;
  }

  /** Milliseconds that all attempts have worked, without what the run waited. An attempt that crashed counts until its last wait. */
  get performedMs(): number {
    return this.#attempt.performedMs;
  }

  /** The waits without an answer that this attempt has come to. */
  get waits(): readonly RunWait[] {
    return this.#attempt.waits;
  }

  /** Returns the journal of a part of the run, whose keys begin with `key`. */
  within(key: string): Journal {
    return new Journal(this.#attempt, `${this.#scope}${key}/`);
  }

  /** Returns the journal of the next child run that this part of the run starts. */
  child(): Journal {
    return this.within(`c${this.#children++}`);
  }

  /** Returns a UUID that is the same in every attempt. */
  id(key: string): string {
    const { hash } = process.getBuiltinModule("node:crypto");
    const hex = hash("sha256", `${this.runId}/${this.#scope}${key}`);
    // Version 8 is for ids that are made in a way of one's own.
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `8${hex.slice(13, 16)}`,
      `a${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join("-");
  }

  /** Returns the result of a step that an earlier attempt, or this one, has done. */
  stored(key: string): StepResult | undefined {
    return this.#attempt.results.get(this.#scope + key);
  }

  /**
   * Returns the values of all steps of this part of the run, and of the child runs in it, whose key is or ends with `/` and
   * this key, in the order in which they were done.
   */
  storedAs(key: string): Json[] {
    const steps = [...this.#attempt.results].filter(([step]) => step.startsWith(this.#scope));
    return steps.filter(([step]) => `/${step}`.endsWith(`/${key}`)).map(([, { value }]) => value);
  }

  /** Begins a step. */
  begin(key: string): OpenStep {
    return this.#attempt.beginStep(this.#scope + key);
  }

  /** Tells if an earlier attempt has come to a step, or to something in it, and has logged that. */
  hasBegun(key: string): boolean {
    return this.#attempt.hasBegun(this.#scope + key);
  }

  /** Tells if an earlier attempt made the call of a step, without its result: it may have had its effect. */
  hasCall(key: string): boolean {
    return this.#attempt.calls.has(this.#scope + key);
  }

  /** Returns the call of such a step, with the number of times that it was made. */
  callOf(key: string): InterruptedCall | undefined {
    return this.#attempt.calls.get(this.#scope + key);
  }

  /** Tells if an attempt has come to a wait of this kind in the step, answered or not. */
  hasWait(key: string, kind: WaitKind): boolean {
    return this.#attempt.knownWait(this.#waitId(key, kind)) !== undefined;
  }

  /**
   * Lets the attempt do nothing new: it takes in what is done, and `endRun` is called once it comes to something that is not,
   * to abort the run's signal.
   */
  endAtNewWork(endRun: () => void): void {
    this.#attempt.endAtNewWork(endRun);
  }

  /** Resolves after `endRun` was called, for a step that has begun. Undefined in an attempt that may do new work. */
  beforeWork(): Promise<void> | undefined {
    return this.#attempt.beforeWork();
  }

  /**
   * Logs that a tool is going to be called. Resolves when that is stored: call the tool only then. A process that stood still
   * meanwhile may have been taken for dead, and the tool called by another one: it logs the call anew, which rejects with
   * `RunPaused` if it was.
   */
  async call(key: string, { args, ...call }: LoggedCall): Promise<void> {
    const entry = { t: "call", step: this.#scope + key, ...call, args: toLoggable(args) } as const;
    for (let starts = 0; starts < mostStarts; starts++) {
      const at = Date.now();
      await this.#attempt.add({ ...entry, at });
      if (Date.now() - at < freshMs) return;
    }
  }

  /**
   * Returns the answer to a wait of the step, if it is there. Else the wait is logged, and once nothing but waits is under way
   * in the run the attempt stops as suspended; the promise then rejects with the `RunPaused`, for the step to leave. After
   * `until` an approval is answered as denied, and other waits reject as `timeout`.
   */
  async wait(key: string, request: WaitRequest): Promise<Json> {
    const step = this.#scope + key;
    const id = this.#waitId(key, request.kind);
    const answer = this.#attempt.answers.get(id);
    if (answer !== undefined) return answer;
    const wait = this.#attempt.knownWait(id) ?? newWait(id, request);
    if (wait.until !== undefined && wait.until <= Date.now()) return answerInTime(wait);
    return await this.#attempt.wait(step, wait);
  }

  #waitId(key: string, kind: WaitKind): string {
    const place = (this.#scope + key).replaceAll("/", ".");
    return kind === "approval" ? place : `${place}.${kind}`;
  }

  /** Logs a chunk that the stream of the run has yielded. Returns a promise while the storage is behind. */
  write(chunk: RunChunk, inner: object = chunk): Promise<void> | undefined {
    return this.#attempt.writeChunk(chunk, inner);
  }

  /** Writes what is logged at once. Resolves when it is stored. */
  async flush(): Promise<void> {
    await this.#attempt.flush();
  }

  /** Logs the end of the run. Resolves when it is stored. */
  async end(end: Omit<LogEnd, "t">): Promise<void> {
    await this.#attempt.add({ t: "end", ...end });
  }

  /**
   * Stops the attempt because the storage of its session cannot be reached: another one goes on later. Does nothing after some
   * attempts in a row that finished no step: then the failure ends the run.
   */
  failStorage(cause: TroupeError): void {
    if (this.#attempt.storageFailures + 1 < mostStorageFailures) this.#attempt.stop("failed", cause);
  }

  /** Stops the attempt, whose run another one goes on with. What it has done is still written: `flush` waits for it. */
  release(): void {
    this.#attempt.stop("released");
  }
}

function answerInTime({ kind }: RunWait): Json {
  if (kind === "approval") return { approved: false, reason: "Nobody answered in time." };
  throw new TroupeError("timeout", "Nobody answered in time.");
}

/** Does some work as a step of a durable run, or returns the value that an earlier attempt got. Without a journal it does it. */
export async function doOnce<Value>(
  journal: Journal | undefined,
  key: string,
  work: () => Promise<Value>,
): Promise<Value> {
  if (journal === undefined) return await work();
  const stored = journal.stored(key);
  if (stored !== undefined) return stored.value as Value;
  const step = journal.begin(key);
  try {
    const value = await work();
    step.done(value);
    return value;
  } finally {
    step.leave();
  }
}

function newWait(id: string, request: WaitRequest): RunWait {
  const { about, argsSchema } = request;
  const schema = argsSchema === undefined ? {} : { argsSchema: toLoggable(argsSchema) };
  return { id, ...request, about: toLoggable(about), ...schema, askedAt: Date.now() };
}

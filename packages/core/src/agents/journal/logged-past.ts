import { toLogged } from "./log-entry.ts";
import type { InterruptedCall } from "../run/run-steps.ts";
import type { RunChunk, RunWait } from "../run/run-wait.ts";
import type { JournalResult, LeaveReason, LogEnd, LogEntry } from "./log-entry.ts";

/** The earlier attempts in a log: their number, the process of the last attempt, and the start time of the first. */
export type LoggedAttempts = { readonly attempts: number; readonly node: string; readonly startedAt?: number };

/**
 * The number of consecutive attempts that ended with their process, without progress, after which a run is a suspect.
 */
const deathsOfSuspect = 2;

/**
 * The past of a run according to its log: finished steps, interrupted calls, waits, and the attempts so far. `read`
 * adds the entries of the log in order.
 */
export class LoggedPast {
  readonly results = new Map<string, JournalResult>();
  /** Tool calls that earlier attempts at the run began, and whose result is not in the log. */
  readonly calls = new Map<string, InterruptedCall>();
  /** The number of the attempt that continues the log. */
  attempt = 1;
  ended: LogEnd | undefined;
  /** The numbers of the signals that finished steps have taken as the answer to a wait. */
  protected readonly takenSignals = new Set<number>();
  /** The earlier attempts at the run, before the attempt that continues the log. */
  logged: LoggedAttempts | undefined;
  /**
   * Consecutive attempts, including this one, that finished no step, reached no new wait and logged no `left` entry.
   */
  fruitlessAttempts = 1;
  /**
   * The number of attempts that ended with their process since this run became a suspect. `alone` counts attempts whose
   * process could perform no other suspect run at the time, `shared` all others.
   */
  readonly #deaths = { alone: 0, shared: 0 };
  /** The field of `#deaths` in which the newest attempt in the log is counted; undefined if it is not counted. */
  #lastSuspect: "alone" | "shared" | undefined;
  /** The number of earlier attempts that only had to end the run, after the run was given up. */
  endings = 0;
  /** Consecutive attempts before this one that finished no step because they could not reach the session. */
  storageFailures = 0;
  /** The end of the previous attempt: a wait, an orderly handover, or a crash. */
  continuesAfter: "crash" | "handover" | "wait" = "crash";
  /** All waits in the run's log, by id. */
  protected readonly knownWaits = new Map<string, RunWait>();
  /** The journal steps that have chunks in the run's log and no result. */
  protected readonly unfinished = new Set<string>();
  /** Milliseconds that the attempts have worked until the last logged wait. */
  protected performedBefore = 0;
  /**
   * Logged chunks of earlier attempts that belong to no step, each with its count. This attempt yields the same chunks
   * again, and they must not be logged twice.
   */
  readonly #loggedChunks = new Map<string, number>();
  /** True if the newest attempt in the log finished a step or reached a new wait. */
  #wasFruitful = true;

  /**
   * True if the run is a suspect, which may be crashing its processes: the last two attempts ended with their
   * process, without progress. A process performs at most two suspects at the same time.
   */
  get isSuspect(): boolean {
    return this.fruitlessAttempts > deathsOfSuspect;
  }

  /**
   * True for a suspect run whose process ended while the process also performed another suspect run. Only an attempt
   * without the other run shows which of the two ends its processes.
   */
  get mustBeAlone(): boolean {
    return this.#deaths.shared > 0 || this.isGivenUp;
  }

  /**
   * True for a suspect whose process ended while it performed no other suspect, or twice while it performed another
   * suspect. Ends of processes before the run was a suspect do not count, because another run may have caused them.
   */
  get isGivenUp(): boolean {
    return this.#deaths.alone > 0 || this.#deaths.shared > 1;
  }

  knownWait(id: string): RunWait | undefined {
    return this.knownWaits.get(id);
  }

  /** Returns true if an earlier attempt has logged a result, a call or a wait of this step or of a part within it. */
  hasBegun(step: string): boolean {
    if (this.attempt === 1) return false;
    const isOfStep = (other: string) => other === step || other.startsWith(`${step}/`);
    const asked = [...this.knownWaits.keys()].map((id) => id.replaceAll(".", "/"));
    return [...this.results.keys(), ...this.calls.keys(), ...asked].some(isOfStep);
  }

  /** Returns true if an earlier attempt logged this chunk outside a step. Each logged copy matches once. */
  protected wasLogged(chunk: RunChunk): boolean {
    if (this.#loggedChunks.size === 0) return false;
    const key = keyOfChunk(chunk);
    const left = this.#loggedChunks.get(key) ?? 0;
    if (left > 0) this.#loggedChunks.set(key, left - 1);
    return left > 0;
  }

  /** Adds the next entry of the log. */
  protected read(entry: LogEntry): void {
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
        this.unfinished.delete(step);
        if (result.signal !== undefined) this.takenSignals.add(result.signal);
        return this.#readProgress();
      }
      case "wait":
        this.knownWaits.set(entry.wait.id, entry.wait);
        this.performedBefore = entry.performedMs;
        this.continuesAfter = "wait";
        return this.#readProgress();
      case "left":
        return this.#readLeft(entry.why);
      default:
        this.ended = entry;
    }
  }

  #readAttempt({ n, node, at, isShared }: Extract<LogEntry, { t: "attempt" }>): void {
    this.attempt = n + 1;
    this.continuesAfter = "crash";
    const startedAt = this.logged?.startedAt ?? at;
    this.logged = { attempts: n, node, ...(startedAt !== undefined && { startedAt }) };
    if (this.isGivenUp) this.endings += 1;
    this.#lastSuspect = this.isSuspect ? (isShared === true ? "shared" : "alone") : undefined;
    if (this.#lastSuspect !== undefined) this.#deaths[this.#lastSuspect] += 1;
    this.fruitlessAttempts += 1;
    this.#wasFruitful = false;
    this.unfinished.clear();
  }

  #readProgress(): void {
    this.#wasFruitful = true;
    this.fruitlessAttempts = 1;
    this.#deaths.alone = 0;
    this.#deaths.shared = 0;
    this.endings = 0;
    this.storageFailures = 0;
  }

  /** Reads a `left` entry. An attempt that left without a finished step is not counted as fruitless. */
  #readLeft(why: LeaveReason): void {
    this.continuesAfter = why === "suspended" ? "wait" : "handover";
    if (this.#wasFruitful) return;
    this.fruitlessAttempts -= 1;
    if (this.#lastSuspect !== undefined) this.#deaths[this.#lastSuspect] -= 1;
    this.#lastSuspect = undefined;
    if (why === "failed") this.storageFailures += 1;
  }

  #readChunks({ step, chunks }: Extract<LogEntry, { t: "chunks" }>): void {
    if (step !== "") {
      this.unfinished.add(step);
      return;
    }
    for (const chunk of chunks) {
      const key = keyOfChunk(chunk);
      this.#loggedChunks.set(key, (this.#loggedChunks.get(key) ?? 0) + 1);
    }
  }
}

/** Returns a string that is equal for chunks that differ only in durations, because these differ between attempts. */
function keyOfChunk(chunk: RunChunk): string {
  return JSON.stringify(toLogged(chunk), (name, value: unknown) => (name === "durationMs" ? undefined : value));
}

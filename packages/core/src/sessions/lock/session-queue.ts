import { sleep } from "../../base/async/sleep.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { singleProcessReason } from "../storage/shared-driver.ts";
import { busyRefusal } from "./busy-policy.ts";
import type { JoinOptions } from "./busy-policy.ts";
import { isLater, isSamePosition, reconcile } from "./queue-record.ts";
import type { DesiredState, QueueRecord, StoredPosition } from "./queue-record.ts";
import { StoredQueue } from "./stored-queue.ts";
import type { QueueContext, QueueSnapshot } from "./stored-queue.ts";
import { Waiter } from "./waiter.ts";
import type { QueuePosition } from "./waiter.ts";

const noProcesses: ReadonlySet<string> = new Set();

const firstPollMs = 5;
const longestPollMs = 250;

/** Failures of the storage in a row before queued runs are refused. */
const maxFailures = 3;

/** Lost compare-and-sets in a row before this process pauses. */
const maxLostRaces = 3;

/**
 * Queue for one session across processes: joins, waits, renews the lease, gives it back.
 *
 * It works in rounds, one after the other. A round reads the stored queue unless it is known, reconciles it with the
 * waiters of this process, and replaces it when that changed anything.
 */
export class SessionQueue {
  readonly #context: QueueContext;
  readonly #key: string;
  readonly #onEmpty: () => void;
  readonly #storedQueue: StoredQueue;
  /** Waiters of this process, first come first. */
  readonly #waiters: Waiter[] = [];
  /** The record last read or written; `undefined` when it is known to be stale. */
  #known: QueueRecord | null | undefined;
  #isWorking = false;
  #hasWork = false;
  #timer: NodeJS.Timeout | undefined;
  #pollMs = firstPollMs;
  #lostRaces = 0;
  #failures = 0;
  #hadLease = false;
  #forgetsQueue = false;

  constructor(context: QueueContext, key: string, onEmpty: () => void) {
    this.#context = context;
    this.#key = key;
    this.#onEmpty = onEmpty;
    this.#storedQueue = new StoredQueue(context, key);
  }

  /**
   * Number of runs of this process that come before a new one. Of a later attempt at a durable run the stored queue tells if
   * it has the place of an earlier one.
   */
  lengthFor({ run }: JoinOptions): number {
    return run === undefined || run.attempt === 1 ? this.#waiters.length : 0;
  }

  /** Adds a run of this process at the end, or a later attempt at a durable run in the place of an earlier one. */
  join(options: JoinOptions): QueuePosition {
    const waiter = new Waiter(options, () => this.#leave(waiter), this.#context.nextNumber());
    waiter.wait();
    const earlier = this.#waiters.find((other) => isLaterAttempt(waiter, other));
    this.#waiters.splice(earlier === undefined ? this.#waiters.length : this.#waiters.indexOf(earlier), 0, waiter);
    if (earlier?.state === "holding") earlier.revoke();
    this.#start();
    return waiter;
  }

  #leave(waiter: Waiter): void {
    if (!this.#remove(waiter)) return;
    if (waiter.state === "holding") this.#forgetsQueue = waiter.forgetsQueue;
    this.#start();
  }

  #remove(waiter: Waiter): boolean {
    const index = this.#waiters.indexOf(waiter);
    if (index !== -1) this.#waiters.splice(index, 1);
    return index !== -1;
  }

  #start(): void {
    this.#hasWork = true;
    if (this.#isWorking) return;
    this.#isWorking = true;
    clearTimeout(this.#timer);
    // The storage is asked before this returns, so that a lease is given back even if the storage is closed right after.
    void this.#work();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    while (this.#hasWork) {
      this.#hasWork = false;
      const asking = [...this.#waiters];
      try {
        await this.#round();
        this.#failures = 0;
      } catch (error) {
        await this.#fail(error, asking);
      }
    }
    this.#isWorking = false;
    if (this.#waiters.length > 0) return this.#schedule();
    // What refused runs have observed is needed when they come again.
    if (this.#hadLease) this.#context.liveness.forget(this.#key);
    this.#onEmpty();
  }

  async #round(): Promise<void> {
    const snapshot = this.#needsRead()
      ? await this.#storedQueue.read()
      : { stored: this.#known ?? null, expired: noProcesses };
    const { stored, expired } = snapshot;
    this.#refuseAcrossProcesses(stored);
    this.#dropLostLease(stored);
    this.#admit(snapshot);
    const asking = [...this.#waiters];
    const next = reconcile(stored, this.#desiredState(asking, expired));
    if (next !== stored && !(await this.#storedQueue.replace(stored, next))) return await this.#retry();
    this.#lostRaces = 0;
    if (next?.token !== this.#known?.token) this.#pollMs = firstPollMs;
    this.#known = next;
    for (const waiter of asking) if (waiter.state === "new") waiter.state = "queued";
    this.#grant(next);
  }

  /** While this process holds the lease, only later positions change, and a write notices that. A new waiter needs them. */
  #needsRead(): boolean {
    const first = this.#known?.positions[0];
    return first?.process !== this.#context.process || this.#waiters.some(({ state }) => state === "new");
  }

  /**
   * Refuses waiting runs when another process is alive in the queue of a storage that serves one process: its heartbeat
   * changed since the last round. One that ended is waited for, until its lease expires.
   */
  #refuseAcrossProcesses(stored: QueueRecord | null): void {
    const reason = singleProcessReason(this.#context.driver);
    if (reason === undefined || !hasMoved(this.#known, stored, this.#context.process)) return;
    const message = `Another process uses this session at the same time. ${reason}`;
    const waiting = this.#waiters.filter(({ state }) => state !== "holding");
    for (const waiter of waiting) this.#refuse(waiter, new TroupeError("invalid_config", message));
  }

  /** Drops our lease if another process took it over. The storage already rejects writes under its token. */
  #dropLostLease(stored: QueueRecord | null): void {
    const holder = this.#waiters.find(({ state }) => state === "holding");
    if (holder !== undefined && !isSamePosition(stored?.positions[0], this.#positionOf(holder))) this.#remove(holder);
  }

  /** Refuses new waiters that find the queue too long. */
  #admit({ stored, expired }: QueueSnapshot): void {
    const arrivals = this.#waiters.filter(({ state }) => state === "new");
    if (arrivals.length === 0) return;
    const present = this.#waiters.filter(({ state }) => state !== "new");
    const wasFree = lengthOf(stored) === 0;
    let length = lengthOf(reconcile(stored, this.#desiredState(present, expired)));
    for (const waiter of arrivals) {
      waiter.hadToWait ||= !wasFree || length > 0;
      waiter.markKnown();
      // A later attempt has the position of an earlier one already.
      if (this.#isLaterAttempt(waiter, stored)) this.#admitAt(0, waiter);
      else if (this.#admitAt(length, waiter)) length += 1;
    }
  }

  /** Refuses a waiter that does not wait behind so many. Returns whether it stays. */
  #admitAt(length: number, waiter: Waiter): boolean {
    const refusal = busyRefusal(length, waiter.options);
    if (refusal !== null) this.#refuse(waiter, refusal);
    return refusal === null;
  }

  /** Tells if a waiter has the place of an earlier attempt at its run. */
  #isLaterAttempt({ options: { run } }: Waiter, stored: QueueRecord | null): boolean {
    const others = [...(stored?.positions ?? []), ...this.#waiters.map(({ options }) => options)];
    return run !== undefined && others.some((other) => isLater(run, other.run));
  }

  /**
   * Tells if the stored queue must not have a waiter yet: an earlier attempt of this process holds the lease until its last
   * write has settled, or a later one has its place.
   */
  #isHeldUp(waiter: Waiter): boolean {
    if (waiter.state === "holding") return false;
    return this.#waiters.some((other) =>
      other.state === "holding" ? isLaterAttempt(waiter, other) : isLaterAttempt(other, waiter),
    );
  }

  #desiredState(waiters: readonly Waiter[], expired: ReadonlySet<string>): DesiredState {
    const isDue = waiters.length > 0 && this.#storedQueue.heartbeatDueInMs <= 0;
    const free = waiters.filter((waiter) => !this.#isHeldUp(waiter));
    const desired = free.map(({ number, options }) => ({ number, run: options.run }));
    const heartbeat = this.#storedQueue.newHeartbeat();
    return { heartbeat, waiters: desired, expired, isDue, forgetsQueue: this.#forgetsQueue };
  }

  #grant(record: QueueRecord | null): void {
    const first = this.#waiters.find((waiter) => isSamePosition(record?.positions[0], this.#positionOf(waiter)));
    if (record === null || first === undefined || first.state === "holding") return;
    const { token } = record;
    this.#hadLease = true;
    // The record was read, so it is known by now if the storage can check the token.
    if (singleProcessReason(this.#context.driver) !== undefined) return first.grant();
    const appendOptions = { ifHeld: { key: this.#key, token } };
    first.grant({ appendOptions, confirm: () => this.#storedQueue.confirm(token) });
  }

  #refuse(waiter: Waiter, error: unknown): void {
    this.#remove(waiter);
    waiter.refuse(error);
  }

  #positionOf({ number }: Waiter): StoredPosition {
    return { process: this.#context.process, waiter: number };
  }

  /** Another process changed the queue first: what was read of it and of the session is stale. */
  async #retry(): Promise<void> {
    this.#known = undefined;
    this.#hasWork = true;
    for (const waiter of this.#waiters) waiter.hadToWait = true;
    this.#lostRaces += 1;
    if (this.#lostRaces >= maxLostRaces) await sleep(jittered(firstPollMs));
  }

  /**
   * Refuses new waiters at once, as any failing call would, and queued ones when the failure lasts. A position that was
   * given up is worth another try. The lease holder stays: its next write shows whether it can still be stored.
   */
  async #fail(error: unknown, asking: readonly Waiter[]): Promise<void> {
    this.#known = undefined;
    // While the storage fails, no process can send heartbeats.
    this.#context.liveness.forget(this.#key);
    this.#failures += 1;
    const isLasting = this.#failures >= maxFailures;
    const present = asking.filter((waiter) => this.#waiters.includes(waiter));
    for (const waiter of present) {
      if (waiter.state === "new" || (isLasting && waiter.state === "queued")) this.#refuse(waiter, error);
    }
    if (isLasting) return void (this.#failures = 0);
    this.#hasWork = true;
    await sleep(jittered(firstPollMs));
  }

  /** Schedules the next round: for the next heartbeat of a lease holder, else for the next poll. */
  #schedule(): void {
    const start = () => this.#start();
    if (this.#waiters.some(({ state }) => state === "holding")) {
      // After a failure the storage gets a pause.
      const leastMs = this.#known === undefined ? this.#context.leaseMs / 10 : 0;
      // A run that hangs must not keep its process alive.
      this.#timer = setTimeout(start, Math.max(this.#storedQueue.heartbeatDueInMs, leastMs)).unref();
      return;
    }
    this.#timer = setTimeout(start, jittered(this.#pollMs));
    this.#pollMs = Math.min(this.#pollMs * 1.5, longestPollMs);
  }
}

/** Tells if two waiters are attempts at one durable run, and the first is the later one. */
function isLaterAttempt(one: Waiter, other: Waiter): boolean {
  return isLater(one.options.run, other.options.run);
}

/** Random, so that processes that met once do not meet at each further try. */
function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

/** Tells if the heartbeat of another process changed from one state of the stored queue to the next. */
function hasMoved(before: QueueRecord | null | undefined, after: QueueRecord | null, own: string): boolean {
  const beats = new Map(before?.processes.map(({ process, beat }) => [process, beat]));
  const others = after?.processes.filter(({ process }) => process !== own && beats.has(process)) ?? [];
  return others.some(({ process, beat }) => beats.get(process) !== beat);
}

function lengthOf(record: QueueRecord | null): number {
  return record?.positions.length ?? 0;
}

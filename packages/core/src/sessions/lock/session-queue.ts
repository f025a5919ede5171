import { sleep } from "../../base/async/sleep.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { singleProcessReason } from "../storage/shared-driver.ts";
import { busyRefusal } from "./busy-policy.ts";
import type { JoinOptions } from "./busy-policy.ts";
import { hasMoved, isLater, isSamePosition, queueLengthOf, reconcile } from "./queue-record.ts";
import type { DesiredState, QueueRecord, StoredPosition } from "./queue-record.ts";
import { StoredQueue } from "./stored-queue.ts";
import type { QueueContext, QueueSnapshot } from "./stored-queue.ts";
import { Waiter } from "./waiter.ts";
import type { QueuePosition } from "./waiter.ts";

const noProcesses: ReadonlySet<string> = new Set();

const firstPollMs = 5;
const longestPollMs = 250;

/** Consecutive storage failures after which the queued runs of a session are rejected. */
const maxFailures = 3;

/**
 * The number of consecutive compare-and-sets of the stored queue lost to other processes, after which this process
 * pauses.
 */
const maxLostRaces = 3;

/**
 * Queue for one session across processes: joins, waits, renews the lease, and releases it.
 *
 * It works in successive rounds. A round reads the stored queue unless it is known, reconciles it with the waiters of
 * this process, and replaces it if it changed.
 */
export class SessionQueue {
  readonly #context: QueueContext;
  readonly #key: string;
  readonly #onEmpty: () => void;
  readonly #storedQueue: StoredQueue;
  /** Waiters of this process, in order of arrival. */
  readonly #waiters: Waiter[] = [];
  /** The queue's stored record, as last read or written; `undefined` if it is known to be stale. */
  #known: QueueRecord | null | undefined;
  /** True until the first round of a new session's queue, which is assumed to be empty instead of being read. */
  #isProbablyEmpty = false;
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
   * Returns the number of this process's runs ahead of a new run. It is 0 for a later attempt at a durable run: only
   * the stored queue shows if it has an earlier attempt's position.
   */
  lengthFor({ run }: JoinOptions): number {
    return run === undefined || run.attempt === 1 ? this.#waiters.length : 0;
  }

  /**
   * Adds a run of this process at the end. A later attempt at a durable run gets the position of the earlier attempt.
   */
  join(options: JoinOptions): QueuePosition {
    const waiter = new Waiter(options, () => this.#leave(waiter), this.#context.nextNumber());
    waiter.wait();
    this.#isProbablyEmpty = options.isNew === true && this.#waiters.length === 0 && this.#known === undefined;
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
    // The storage request starts before `#start` returns, so that a lease is released even if the storage is closed
    // immediately afterwards.
    void this.#work();
  }

  /** Performs rounds of the queue until there is nothing to do. Never rejects. */
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
    // If the runs of this process were rejected, the observed heartbeats are kept until runs try again.
    if (this.#hadLease) this.#context.liveness.forget(this.#key);
    this.#onEmpty();
  }

  async #round(): Promise<void> {
    const snapshot = this.#needsRead()
      ? await this.#storedQueue.read()
      : { stored: this.#known ?? null, expired: noProcesses };
    this.#isProbablyEmpty = false;
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

  /**
   * Returns true if a round must read the queue's record. While this process holds the lease, only later positions
   * change, and a failing write shows that they did. The same holds for the queue of a new session, which is assumed to
   * be empty. A new waiter always needs the current positions.
   */
  #needsRead(): boolean {
    if (this.#isProbablyEmpty) return false;
    const first = this.#known?.positions[0];
    return first?.process !== this.#context.process || this.#waiters.some(({ state }) => state === "new");
  }

  /**
   * For a storage that serves only one process: rejects waiting runs if another process in the queue is alive, because
   * its heartbeat changed since the last round. If that process has ended, the runs wait until its lease expires.
   */
  #refuseAcrossProcesses(stored: QueueRecord | null): void {
    const reason = singleProcessReason(this.#context.driver);
    if (reason === undefined || !hasMoved(this.#known, stored, this.#context.process)) return;
    const message = `Another process uses this session at the same time. ${reason}`;
    const waiting = this.#waiters.filter(({ state }) => state !== "holding");
    for (const waiter of waiting) this.#refuse(waiter, new TroupeError("invalid_config", message));
  }

  /**
   * Removes the lease holder of this process if another process took over its lease. The storage already rejects writes
   * under its token.
   */
  #dropLostLease(stored: QueueRecord | null): void {
    const holder = this.#waiters.find(({ state }) => state === "holding");
    if (holder !== undefined && !isSamePosition(stored?.positions[0], this.#positionOf(holder))) this.#remove(holder);
  }

  /**
   * Notifies new waiters that the queue is known, and rejects those whose policy does not allow the length of the
   * queue.
   */
  #admit({ stored, expired }: QueueSnapshot): void {
    const arrivals = this.#waiters.filter(({ state }) => state === "new");
    if (arrivals.length === 0) return;
    const present = this.#waiters.filter(({ state }) => state !== "new");
    const wasFree = queueLengthOf(stored) === 0;
    let length = queueLengthOf(reconcile(stored, this.#desiredState(present, expired)));
    for (const waiter of arrivals) {
      waiter.hadToWait ||= !wasFree || length > 0;
      waiter.markKnown();
      // A later attempt already has the position of an earlier attempt.
      if (this.#isLaterAttempt(waiter, stored)) this.#admitAt(0, waiter);
      else if (this.#admitAt(length, waiter)) length += 1;
    }
  }

  /** Rejects a waiter whose policy does not allow a queue of this length. Returns true if the waiter stays. */
  #admitAt(length: number, waiter: Waiter): boolean {
    const refusal = busyRefusal(length, waiter.options);
    if (refusal !== null) this.#refuse(waiter, refusal);
    return refusal === null;
  }

  /** Returns true if a waiter has the position of an earlier attempt at its run. */
  #isLaterAttempt({ options: { run } }: Waiter, stored: QueueRecord | null): boolean {
    const others = [...(stored?.positions ?? []), ...this.#waiters.map(({ options }) => options)];
    return run !== undefined && others.some((other) => isLater(run, other.run));
  }

  /**
   * Returns true if a waiter must not be stored in the queue yet: an earlier attempt of this process holds the lease
   * until its last write has settled, or a later attempt has the waiter's position.
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
    // Once the queue's record was read, the driver knows if it can check the fencing token of a lease.
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

  /**
   * Starts another round after another process changed the queue first, so that the state of queue and session that was
   * read is stale.
   */
  async #retry(): Promise<void> {
    this.#known = undefined;
    this.#hasWork = true;
    for (const waiter of this.#waiters) waiter.hadToWait = true;
    this.#lostRaces += 1;
    if (this.#lostRaces >= maxLostRaces) await sleep(jittered(firstPollMs));
  }

  /**
   * After a storage failure, rejects new waiters immediately. Queued waiters are rejected only if the failure lasts:
   * until then another round is tried, which also gives up the positions of waiters that have left. The lease holder
   * stays: its next write shows if the storage works again.
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

  /** Schedules the next round: for the next heartbeat of a lease holder, otherwise for the next poll. */
  #schedule(): void {
    const start = () => this.#start();
    if (this.#waiters.some(({ state }) => state === "holding")) {
      // After a storage failure, the next round does not follow immediately.
      const leastMs = this.#known === undefined ? this.#context.leaseMs / 10 : 0;
      // A run that hangs must not keep its process alive.
      this.#timer = setTimeout(start, Math.max(this.#storedQueue.heartbeatDueInMs, leastMs)).unref();
      return;
    }
    this.#timer = setTimeout(start, jittered(this.#pollMs));
    this.#pollMs = Math.min(this.#pollMs * 1.5, longestPollMs);
  }
}

/** Returns true if two waiters are attempts at one durable run, and the first is later than the second. */
function isLaterAttempt(one: Waiter, other: Waiter): boolean {
  return isLater(one.options.run, other.options.run);
}

/** Randomises a delay, so that processes that collided once do not collide again. */
function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

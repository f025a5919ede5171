import { isShared } from "../storage/shared-driver.ts";
import type { SharedDriver } from "../storage/shared-driver.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { createId } from "../../base/util/create-id.ts";
import { busyRefusal } from "./busy-policy.ts";
import type { JoinOptions } from "./busy-policy.ts";
import type { Lease } from "./lease.ts";
import { LivenessTracker } from "./liveness.ts";
import { LocalQueue } from "./local-queue.ts";
import { OrderingClock } from "./ordering-clock.ts";
import { SessionQueue } from "./session-queue.ts";
import type { QueuePosition } from "./waiter.ts";

type Queue = { lengthFor(options: JoinOptions): number; join(options: JoinOptions): QueuePosition };

/**
 * Queues by key, one for each busy session or record of a storage. A queue is kept while it contains a run of this
 * process.
 */
export class KeyedQueues {
  /** Deferred leases by the key of their session: each is acquired only when a second call needs the session. */
  readonly deferred = new Map<string, { settle(): Promise<void> }>();
  readonly #queues = new Map<string, Queue>();
  readonly #createQueue: (key: string, onEmpty: () => void) => Queue;

  constructor(createQueue: (key: string, onEmpty: () => void) => Queue) {
    this.#createQueue = createQueue;
  }

  /** Returns the number of keys (sessions or single records) that runs of this process hold a lease for or wait for. */
  get busyKeys(): number {
    return this.#queues.size;
  }

  /** Returns true if a run of this process holds or waits for the lease of a key, or has deferred it. */
  isBusy(key: string): boolean {
    return this.#queues.has(key) || this.deferred.has(key);
  }

  /** Joins the queue for a key. Runs that join later get the lease later. */
  join(key: string, options: JoinOptions): QueuePosition {
    const refusal = busyRefusal(this.#queues.get(key)?.lengthFor(options) ?? 0, options);
    return refusal === null ? this.#queueOf(key).join(options) : refusedPosition(refusal);
  }

  #queueOf(key: string): Queue {
    const queue = this.#queues.get(key) ?? this.#createQueue(key, () => this.#queues.delete(key));
    this.#queues.set(key, queue);
    return queue;
  }
}

/** Makes queues in memory, for a storage that only this process uses, or for single records. */
export function createLocalQueues(): KeyedQueues {
  return new KeyedQueues((_key, onEmpty) => new LocalQueue(onEmpty));
}

/**
 * Makes queues for a storage's sessions that are shared by all processes. A process without a heartbeat for `leaseMs`
 * milliseconds has expired and loses its positions.
 */
export function createSharedQueues(driver: SharedDriver, leaseMs = 10_000): KeyedQueues {
  let lastNumber = 0;
  const nextNumber = () => ++lastNumber;
  const context = { driver, process: createId(), leaseMs, liveness: new LivenessTracker(), nextNumber };
  return new KeyedQueues((key, onEmpty) => new SessionQueue(context, key, onEmpty));
}

/**
 * The queues and the clock of each storage driver. Module state on purpose: two stores over one driver hold the same
 * sessions and must share their queues. The driver is all that they share, and third parties' drivers are unaware of
 * queues. Weak, so that the queues are freed with their driver.
 */
const queuesByDriver = new WeakMap<StorageDriver, { local: KeyedQueues; shared: KeyedQueues; clock: OrderingClock }>();

/**
 * Returns this process's queues for single records of a storage, such as a session's memory: the same object on each
 * call. If processes share the storage, its sessions have separate queues, `sessionQueuesOf`; if not, its sessions use
 * these queues too.
 */
export function recordQueuesOf(driver: StorageDriver): KeyedQueues {
  return queuesOf(driver).local;
}

/**
 * Returns the queues for the sessions of a storage: the same object on each call. They span processes if the storage is
 * shared.
 */
export function sessionQueuesOf(driver: StorageDriver): KeyedQueues {
  return queuesOf(driver).shared;
}

/** Returns the clock that orders the sessions of a storage in this process: the same object on each call. */
export function clockOf(driver: StorageDriver): OrderingClock {
  return queuesOf(driver).clock;
}

function queuesOf(driver: StorageDriver) {
  return queuesByDriver.get(driver) ?? addQueues(driver);
}

function addQueues(driver: StorageDriver) {
  const local = createLocalQueues();
  const clock = new OrderingClock();
  const queues = { local, shared: isShared(driver) ? createSharedQueues(driver) : local, clock };
  queuesByDriver.set(driver, queues);
  return queues;
}

function refusedPosition(refusal: Error): QueuePosition {
  const granted = Promise.reject<Lease>(refusal);
  granted.catch(() => {});
  return { known: Promise.resolve(), granted, leave: () => {} };
}

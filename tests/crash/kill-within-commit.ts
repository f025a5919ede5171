import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { StorageDriver } from "@troupe/core";
import { wrapAppend } from "./wrap-append.ts";

/** Indices in the memory that is shared with the killer thread. */
const [signal, delay] = [0, 1];

/**
 * Kills its own process while a turn is being committed. A driver may commit synchronously, so another thread kills, at a
 * drawn moment within the usual duration of a commit. Sends `{ committed }` to the parent when the kill came too late.
 */
export class KillWithinCommit {
  readonly #threadFile: URL;
  readonly #shared = new Int32Array(new SharedArrayBuffer(8));
  #left = Infinity;
  #usualMs = 1;
  #share = 0;

  constructor(threadFile: URL) {
    this.#threadFile = threadFile;
  }

  /** Prepares to kill within the n-th commit from now on, after a share of its usual duration, from 0 to 1. */
  async arm({ occurrence, share }: { occurrence: number; share: number }): Promise<void> {
    const killer = new Worker(this.#threadFile, { workerData: this.#shared });
    killer.unref();
    await once(killer, "online");
    this.#left = occurrence;
    this.#share = share;
  }

  /** Wraps the driver, so that the chosen commit is the last. */
  storage<Driver extends StorageDriver>(driver: Driver): Driver {
    return wrapAppend(driver, (append) => async (request) => {
      this.#left -= 1;
      const isLast = this.#left === 0;
      if (isLast) this.#strike();
      const startedAt = performance.now();
      const appended = await append(request);
      this.#usualMs = (this.#usualMs + performance.now() - startedAt) / 2;
      if (isLast) process.send?.({ committed: true });
      return appended;
    });
  }

  /** Starts the countdown of the other thread. */
  #strike(): void {
    this.#shared[delay] = Math.floor(this.#share * this.#usualMs * 1000);
    Atomics.store(this.#shared, signal, 1);
    Atomics.notify(this.#shared, signal);
  }
}

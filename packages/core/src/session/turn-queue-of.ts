import type { StorageDriver } from "../storage/storage-driver.ts";
import { TurnQueue } from "./turn-queue.ts";

/**
 * The one piece of state that a module of ours holds. Two stores over one driver hold the same sessions and so must share
 * one line for each; the driver is all they have in common, and a queue hung on it from outside needs nothing of those
 * who write drivers. The map is weak: a queue goes when its driver does.
 */
const queues = new WeakMap<StorageDriver, TurnQueue>();

/** The lines for the sessions of this storage, the same for everybody in the process. */
export function turnQueueOf(driver: StorageDriver): TurnQueue {
  const queue = queues.get(driver) ?? new TurnQueue();
  queues.set(driver, queue);
  return queue;
}

import type { StorageDriver } from "../storage/storage-driver.ts";
import { isShared } from "./shared-driver.ts";
import { SharedLines } from "./shared-lines.ts";
import { TurnQueue } from "./turn-queue.ts";
import type { Lines } from "./turn-queue.ts";

/**
 * The one piece of state that a module of ours holds. Two stores over one driver hold the same sessions and so must share
 * one line for each; the driver is all they have in common, and a queue hung on it from outside needs nothing of those
 * who write drivers. The map is weak: a queue goes when its driver does.
 */
const queues = new WeakMap<StorageDriver, { queue: TurnQueue; lines: Lines }>();

/** The lines of this process for what is in this storage, the same for everybody in it. */
export function turnQueueOf(driver: StorageDriver): TurnQueue {
  return queuesOf(driver).queue;
}

/** The lines for the sessions of this storage: for all processes where the storage is shared, else of this one. */
export function sessionLinesOf(driver: StorageDriver): Lines {
  return queuesOf(driver).lines;
}

function queuesOf(driver: StorageDriver) {
  return queues.get(driver) ?? hangOn(driver);
}

function hangOn(driver: StorageDriver) {
  const queue = new TurnQueue();
  const both = { queue, lines: isShared(driver) ? new SharedLines(driver) : queue };
  queues.set(driver, both);
  return both;
}

import { onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../../storage/in-memory-storage.ts";
import type { Json } from "../../storage/json.ts";
import { SharedStorage } from "../../storage/test/shared-storage.ts";
import type { BusyPolicy, JoinOptions } from "../busy-policy.ts";
import type { Lease } from "../lease.ts";
import type { QueueRecord } from "../queue-record.ts";
import { createSharedQueues } from "../session-queues.ts";
import type { KeyedQueues } from "../session-queues.ts";
import type { QueuePosition } from "../waiter.ts";

/** A process with its own connection to the storage. */
export type Process = { storage: SharedStorage; queues: KeyedQueues };

export const leaseMs = 9000;
export const enqueue: BusyPolicy = { onBusy: "enqueue", maxWaiting: 100, waitMs: 60_000 };
export const reject: BusyPolicy = { ...enqueue, onBusy: "reject" };

/** Starts processes over one storage. */
export function startProcesses(count: number) {
  const storage = new InMemoryStorage();
  const processes = Array.from({ length: count }, (): Process => {
    const own = new SharedStorage(storage);
    return { storage: own, queues: createSharedQueues(own, leaseMs) };
  });
  const readQueue = async () => (await storage.get("locks", "-/-/s")) as QueueRecord | null;
  return { storage, processes, readQueue };
}

/** Joins the queue for the one session of these tests. */
export function join({ queues }: Process, policy: JoinOptions = enqueue): QueuePosition {
  return queues.join("-/-/s", policy);
}

/** Appends as the holder of the lease does. */
export async function appendUnder(lease: Lease, { storage }: Process, value: Json): Promise<number> {
  return (await storage.append("turns", "-/-/s/", value, lease.appendOptions)).seq;
}

/** Installs fake timers, and fails a test that leaves a timer behind. */
export function useFakeTime(): void {
  vi.useFakeTimers();
  // Callbacks are called in reverse order: this one comes last.
  onTestFinished(() => {
    const timers = vi.getTimerCount();
    vi.useRealTimers();
    if (timers > 0) throw new Error(`${timers} timers were left behind.`);
  });
}

/** Advances the clock. */
export async function pass(ms = 1000): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Releases each lease as soon as it is granted, and returns the order in which they were granted. */
export function noteOrder(positions: readonly QueuePosition[]): number[] {
  const order: number[] = [];
  const take = async (position: QueuePosition, number: number): Promise<void> => {
    await position.granted;
    order.push(number);
    position.leave();
  };
  for (const [number, position] of positions.entries()) take(position, number).catch(() => undefined);
  return order;
}

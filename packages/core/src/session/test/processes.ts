import { onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../../storage/in-memory-storage.ts";
import type { Json } from "../../storage/json.ts";
import type { LineRecord } from "../line-record.ts";
import type { Hold, PlaceInLine } from "../place-in-line.ts";
import { SharedLines } from "../shared-lines.ts";
import type { BusyPolicy } from "../turn-queue.ts";
import { SharedStorage } from "./shared-storage.ts";

/** One process with its own way to the storage. */
export type Process = { storage: SharedStorage; lines: SharedLines };

export const leaseMs = 9000;
export const patient: BusyPolicy = { onBusy: "enqueue", maxWaiting: 100, waitMs: 60_000 };
export const hasty: BusyPolicy = { ...patient, onBusy: "reject" };

/** Some processes over one storage. */
export function startProcesses(count: number) {
  const storage = new InMemoryStorage();
  const processes = Array.from({ length: count }, (): Process => {
    const own = new SharedStorage(storage);
    return { storage: own, lines: new SharedLines(own, { leaseMs }) };
  });
  const readLine = async () => (await storage.get("locks", "-/s")) as LineRecord | null;
  return { storage, processes, readLine };
}

/** Joins the line for the one session of these tests. */
export function join({ lines }: Process, policy: BusyPolicy & { signal?: AbortSignal } = patient): PlaceInLine {
  return lines.join("-/s", policy);
}

/** Appends as whoever holds this does. */
export async function appendAs({ storage }: Process, { appends }: Hold, value: Json): Promise<number> {
  return (await storage.append("turns", "-/s/", value, appends)).seq;
}

/** Takes the clock into its hands, and refuses a test that leaves a timer behind. */
export function useFakeTime(): void {
  vi.useFakeTimers();
  // What is registered first is called last.
  onTestFinished(() => {
    const timers = vi.getTimerCount();
    vi.useRealTimers();
    if (timers > 0) throw new Error(`${timers} timers were left behind.`);
  });
}

/** Lets some time go by. */
export async function pass(ms = 1000): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Lets everybody have the turn as it comes to them, and gives the order in which it did. */
export function noteOrder(places: readonly PlaceInLine[]): number[] {
  const order: number[] = [];
  const take = async ({ granted, leave }: PlaceInLine, number: number): Promise<void> => {
    await granted;
    order.push(number);
    leave();
  };
  for (const [number, place] of places.entries()) take(place, number).catch(() => undefined);
  return order;
}

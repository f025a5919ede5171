import type { Json, StorageDriver } from "@troupe/core";

/** How many turns are loaded. */
export const loadedTurns = 20;

/** A turn of the usual size. */
export const turn = {
  v: 1,
  runId: "run",
  runnable: "bench",
  input: "x".repeat(500),
  messages: [{ role: "assistant", content: "y".repeat(1500) }],
  status: "completed",
  usage: { promptTokens: 12, completionTokens: 200, totalTokens: 212 },
  createdAt: 1,
} satisfies Json;

/** Where the turns of a session with such a past are, in the namespace `turns`. */
export function prefixOf(past: number): string {
  return `-/past-${past}/`;
}

/** A storage to measure: our driver and the bare client, which append to the same sessions. */
export type TurnStorage = {
  driver: StorageDriver;
  /** Stores as many turns as the session has for its past. */
  fill: (prefix: string, count: number) => Promise<void>;
  /** What the driver has the database do for one turn, by hand: append, load the last 20; gives how many were loaded. */
  byHand: (prefix: string) => Promise<number>;
  close: () => Promise<void>;
};

/** One turn by the driver: append, load the last 20; gives how many were loaded. */
export async function byDriver(driver: StorageDriver, prefix: string): Promise<number> {
  await driver.append?.("turns", prefix, turn);
  return (await driver.list("turns", prefix, { limit: loadedTurns, reverse: true })).length;
}

import type { Json, StorageDriver } from "@troupe/core";

/** Number of turns to load. */
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

/** Returns the key prefix of a session with this past, in the namespace `turns`. */
export function prefixOf(past: number): string {
  return `-/-/past-${past}/`;
}

/** A storage to measure: our driver and the bare client on the same sessions. */
export type TurnStorage = {
  driver: StorageDriver;
  /** Stores the past turns of the session. */
  fill: (prefix: string, count: number) => Promise<void>;
  /** Does one turn by hand: appends, and loads the last 20. Returns the number of loaded turns. */
  byHand: (prefix: string) => Promise<number>;
  close: () => Promise<void>;
};

/** Does one turn by the driver: appends, and loads the last 20. Returns the number of loaded turns. */
export async function byDriver(driver: StorageDriver, prefix: string): Promise<number> {
  await driver.append?.("turns", prefix, turn);
  return (await driver.list("turns", prefix, { limit: loadedTurns, reverse: true })).length;
}

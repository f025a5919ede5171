import { TroupeError } from "../errors/troupe-error.ts";
import { untilAborted } from "../async/until-aborted.ts";
import type { Json } from "../storage/json.ts";
import { inTurn } from "./in-turn.ts";
import type { Turn } from "./in-turn.ts";

/** How often another process may be faster before it is an error. */
const attempts = 5;

/** Makes the new value of the old one: `null` deletes, and `undefined` leaves all as it is. */
export type Change = (stored: Json | null) => Promise<Json | null | undefined>;

/**
 * Changes one record, after all who came before. With a driver that can compare and set, another process's change in
 * between is not overwritten: the change is made again, of what is stored then.
 */
export async function changeRecord(turn: Turn, change: Change): Promise<void> {
  const { driver, place, signal } = turn;
  await inTurn(turn, async (held) => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const stored = await untilAborted(() => driver.get(place.namespace, place.key), signal);
      const next = await change(stored);
      if (next === undefined || (next === null && stored === null)) return;
      if (await held.write(() => replace(turn, stored, next), signal)) return;
    }
    throw new TroupeError("conflict", "Other processes keep changing this memory. Try again later.");
  });
}

async function replace({ driver, place }: Turn, stored: Json | null, next: Json | null): Promise<boolean> {
  if (driver.compareAndSet !== undefined) {
    return await driver.compareAndSet(place.namespace, place.key, stored, next);
  }
  if (next === null) await driver.delete(place.namespace, place.key);
  else await driver.set(place.namespace, place.key, next);
  return true;
}

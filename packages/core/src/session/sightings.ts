import type { SignOfLife } from "./line-record.ts";

/** When the storage was asked and when it answered, by the clock of this process that is never set. */
export type Look = { askedAt: number; answeredAt: number };

type Sighting = { beat: number; seenAt: number };

/** Of more lines than these, those not looked at for longest are forgotten: their dead are found out later. */
const most = 1000;

/**
 * Tells dead processes from living ones. Clocks of machines differ, so no time is read out of a record: a process is dead
 * whose sign of life has stayed the same for as long as it promised to renew it, as measured here. What was seen is kept
 * for the next look also when nobody waits until then: else those who never wait would be refused for ever.
 */
export class Sightings {
  readonly #byKey = new Map<string, ReadonlyMap<string, Sighting>>();

  /** How many lines are remembered. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Notes who else is in line, and gives those who have been silent for too long. */
  look(key: string, others: readonly SignOfLife[], { askedAt, answeredAt }: Look): Set<string> {
    const earlier = this.#byKey.get(key);
    const seen = new Map<string, Sighting>();
    const dead = new Set<string>();
    for (const { process, beat, leaseMs } of others) {
      const last = earlier?.get(process);
      const isSilent = last?.beat === beat;
      seen.set(process, isSilent ? last : { beat, seenAt: answeredAt });
      if (isSilent && askedAt - last.seenAt >= leaseMs) dead.add(process);
    }
    this.forget(key);
    if (seen.size > 0) this.#keep(key, seen);
    return dead;
  }

  /** Forgets who was seen in this line. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #keep(key: string, seen: ReadonlyMap<string, Sighting>): void {
    this.#byKey.set(key, seen);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > most && oldest !== undefined) this.forget(oldest);
  }
}

import { createId } from "../util/create-id.ts";
import type { PlaceInLine } from "./place-in-line.ts";
import type { SharedDriver } from "./shared-driver.ts";
import { SharedLine } from "./shared-line.ts";
import { Sightings } from "./sightings.ts";
import type { LineKeeper } from "./stored-line.ts";
import { refusalOf, refusedPlace } from "./turn-queue.ts";
import type { JoinOptions, Lines } from "./turn-queue.ts";

type SharedLinesOptions = {
  /** How long a process may be silent before others take its place. @default 10 seconds */
  leaseMs?: number;
};

/**
 * The lines for the sessions of a storage that several processes use. A line is a record of the storage: whoever is first in
 * it has the session, whatever process they are in. Nothing is kept here of sessions that nobody of this process wants.
 */
export class SharedLines implements Lines {
  readonly #keeper: LineKeeper;
  readonly #lines = new Map<string, SharedLine>();
  #lastNumber = 0;

  constructor(driver: SharedDriver, { leaseMs = 10_000 }: SharedLinesOptions = {}) {
    const nextNumber = () => ++this.#lastNumber;
    this.#keeper = { driver, process: createId(), leaseMs, sightings: new Sightings(), nextNumber };
  }

  get busySessions(): number {
    return this.#lines.size;
  }

  join(key: string, options: JoinOptions): PlaceInLine {
    // Those of this process are known without a look.
    const refusal = refusalOf(this.#lines.get(key)?.length ?? 0, options);
    return refusal === null ? this.#lineOf(key).join(options) : refusedPlace(refusal);
  }

  #lineOf(key: string): SharedLine {
    const line = this.#lines.get(key) ?? new SharedLine(this.#keeper, key, () => this.#lines.delete(key));
    this.#lines.set(key, line);
    return line;
  }
}

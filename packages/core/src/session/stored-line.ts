import { withTimeout } from "../async/with-timeout.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { holdsToken } from "../storage/holds-token.ts";
import { readLine } from "./line-record.ts";
import type { LineRecord, SignOfLife } from "./line-record.ts";
import { namespaces } from "./session-keys.ts";
import type { SharedDriver } from "./shared-driver.ts";
import type { Sightings } from "./sightings.ts";

/** What all lines of one process have in common. */
export type LineKeeper = {
  driver: SharedDriver;
  /** An id that no other process has. */
  process: string;
  leaseMs: number;
  sightings: Sightings;
  /** A number that this process has not used before. */
  nextNumber: () => number;
};

/** A line as it is stored, and the processes in it that are dead. */
export type Found = { stored: LineRecord | null; dead: ReadonlySet<string> };

/** The record of a line, as one process reads and writes it. */
export class StoredLine {
  readonly #keeper: LineKeeper;
  readonly #key: string;
  #signedAt = 0;

  constructor(keeper: LineKeeper, key: string) {
    this.#keeper = keeper;
    this.#key = key;
  }

  /** Reads the record, and tells who has been silent for too long. */
  async look(): Promise<Found> {
    const { driver, process, sightings } = this.#keeper;
    const askedAt = performance.now();
    const value = await this.#inTime(driver.get(namespaces.locks, this.#key));
    const stored = readLine(value, { namespace: namespaces.locks, key: this.#key });
    const others = (stored?.processes ?? []).filter((other) => other.process !== process);
    return { stored, dead: sightings.look(this.#key, others, { askedAt, answeredAt: performance.now() }) };
  }

  /** Writes the record, unless somebody else was faster. */
  async replace(stored: LineRecord | null, next: LineRecord | null): Promise<boolean> {
    const signedAt = performance.now();
    const isWritten = await this.#inTime(this.#keeper.driver.compareAndSet(namespaces.locks, this.#key, stored, next));
    if (isWritten) this.#signedAt = signedAt;
    return isWritten;
  }

  /** Rejects as `conflict` unless the number is the line's. */
  async confirm(token: number): Promise<void> {
    if (holdsToken(await this.#keeper.driver.get(namespaces.locks, this.#key), token)) return;
    throw new TroupeError(
      "conflict",
      "Another process took the session over, since this one gave no sign of life. It may be tried again.",
    );
  }

  /** How long until this process has to write a sign of life: in time for two more tries. */
  get dueInMs(): number {
    return this.#signedAt + this.#keeper.leaseMs / 3 - performance.now();
  }

  /** A sign of life that was never given before. */
  newSign(): SignOfLife {
    const { process, leaseMs, nextNumber } = this.#keeper;
    return { process, leaseMs, beat: nextNumber() };
  }

  /** One call that hangs is not to close the session to this process for ever. What it does later, the next look finds. */
  async #inTime<Result>(call: Promise<Result>): Promise<Result> {
    const { leaseMs: timeoutMs } = this.#keeper;
    const onTimeout = (): never => {
      throw new TroupeError(
        "storage_unavailable",
        `The storage did not say within ${timeoutMs} ms who has the session.`,
      );
    };
    return await withTimeout(call, { timeoutMs, onTimeout, unref: true });
  }
}

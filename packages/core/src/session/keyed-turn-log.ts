import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { writeTurnCount, withTurnCount } from "./turn-count.ts";
import { mapBounded } from "../async/map-bounded.ts";
import { namespaces, turnKey } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { readTurnRecord } from "./turn-record.ts";
import type { StoredTurn, TurnRecord } from "./turn-record.ts";

/** A `TurnLog` over a driver without `append`: numbers the turns itself, reads them by key, and lists nothing. */
export class KeyedTurnLog {
  readonly #driver: StorageDriver;
  readonly #key: string;
  /** The number of the last turn, once it is known. */
  #last: number | undefined;

  constructor(driver: StorageDriver, key: string) {
    this.#driver = driver;
    this.#key = key;
  }

  async newest(count: number, session: SessionRecord): Promise<StoredTurn[]> {
    const turns = await this.after(Math.max(0, session.turns - count), Infinity, session);
    this.#last = Math.max(session.turns, turns.at(-1)?.seq ?? 0);
    return turns.slice(-count);
  }

  async after(seq: number, limit: number, session: SessionRecord): Promise<StoredTurn[]> {
    const end = seq + limit;
    const [counted, missed] = await Promise.all([
      mapBounded(integers(seq + 1, Math.min(session.turns, end)), (number) => this.#read(number)),
      end > session.turns ? this.#readMissed(Math.max(seq, session.turns)) : [],
    ]);
    // A turn below the counter is missing when a deletion was cut short: it counts as deleted.
    return [...counted.filter((turn) => turn !== null), ...missed].slice(0, limit);
  }

  async append(turn: TurnRecord, session: SessionRecord): Promise<SessionRecord> {
    const last = this.#last ?? session.turns + (await this.#readMissed(session.turns)).length;
    const counted = withTurnCount(session, last + 1);
    await this.#store(turnKey(this.#key, last + 1), turn as unknown as Json, counted);
    this.#last = last + 1;
    return counted;
  }

  /** Reads the turns after a number that the counter missed: usually none. */
  async #readMissed(seq: number): Promise<StoredTurn[]> {
    const turns: StoredTurn[] = [];
    for (let next = await this.#read(seq + 1); next !== null; next = await this.#read(next.seq + 1)) turns.push(next);
    return turns;
  }

  async #store(key: string, value: Json, counted: SessionRecord): Promise<void> {
    if (this.#driver.transaction === undefined) {
      await this.#driver.set(namespaces.turns, key, value);
      await writeTurnCount(this.#driver, this.#key, counted);
      return;
    }
    await this.#driver.transaction([
      { namespace: namespaces.turns, key, value },
      { namespace: namespaces.sessions, key: this.#key, value: counted as unknown as Json },
    ]);
  }

  async #read(seq: number): Promise<StoredTurn | null> {
    const key = turnKey(this.#key, seq);
    const value = await this.#driver.get(namespaces.turns, key);
    return value === null ? null : { ...readTurnRecord(value, { namespace: namespaces.turns, key }), seq };
  }
}

function integers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

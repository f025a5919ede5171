import { indexWrites } from "./recent-index.ts";
import { nextRecord, withLocalLock } from "./change-session.ts";
import type { SessionRef } from "./session-keys.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { writeTurnCount, withTurnCount } from "./turn-count.ts";
import type { CountedTurn } from "./turn-count.ts";
import { mapBounded } from "../async/map-bounded.ts";
import { namespaces, turnKey } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { readTurnRecord } from "./turn-record.ts";
import type { StoredTurn, TurnRecord } from "./turn-record.ts";

/** A `TurnLog` over a driver without `append`: numbers the turns itself, reads them by key, and lists nothing. */
export class KeyedTurnLog {
  readonly #driver: StorageDriver;
  readonly #ref: SessionRef;
  /** The number of the last turn, once it is known. */
  #last: number | undefined;

  constructor(driver: StorageDriver, ref: SessionRef) {
    this.#driver = driver;
    this.#ref = ref;
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
    const counted = await this.#store(turn, last + 1, session);
    this.#last = last + 1;
    return counted;
  }

  /** Reads the turns after a number that the counter missed: usually none. */
  async #readMissed(seq: number): Promise<StoredTurn[]> {
    const turns: StoredTurn[] = [];
    for (let next = await this.#read(seq + 1); next !== null; next = await this.#read(next.seq + 1)) turns.push(next);
    return turns;
  }

  async #store(turn: TurnRecord, seq: number, session: SessionRecord): Promise<SessionRecord> {
    const value = turn as unknown as Json;
    const write = { namespace: namespaces.turns, key: turnKey(this.#ref.key, seq), value };
    const counted = { seq, input: turn.input };
    const canStoreAtOnce = this.#driver.transaction !== undefined && this.#driver.compareAndSet === undefined;
    if (canStoreAtOnce) return await this.#storeAtOnce(write, counted, session);
    await this.#driver.set(write.namespace, write.key, value);
    return await writeTurnCount(this.#driver, this.#ref, { known: session, turn: counted });
  }

  /** Writes the turn, its count and the place of the session in one step, when no other call changes the record. */
  async #storeAtOnce(turn: Write, counted: CountedTurn, session: SessionRecord): Promise<SessionRecord> {
    const { key } = this.#ref;
    return await withLocalLock(this.#driver, key, async () => {
      const change = (stored: SessionRecord) => withTurnCount(stored, counted);
      const { before, after } = (await nextRecord(this.#driver, key, change)) ?? {
        before: session,
        after: change(session),
      };
      const record = { namespace: namespaces.sessions, key, value: after as unknown as Json };
      await this.#driver.transaction?.([turn, record, ...indexWrites(this.#ref, before, after)]);
      return after;
    });
  }

  async #read(seq: number): Promise<StoredTurn | null> {
    const key = turnKey(this.#ref.key, seq);
    const value = await this.#driver.get(namespaces.turns, key);
    return value === null ? null : { ...readTurnRecord(value, { namespace: namespaces.turns, key }), seq };
  }
}

function integers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

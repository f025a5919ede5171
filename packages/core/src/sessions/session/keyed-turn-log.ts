import { indexWrites } from "./recent-index.ts";
import { nextRecord, withLocalLock } from "./change-session.ts";
import type { SessionRef } from "./session-keys.ts";
import { clockOf } from "../lock/session-queues.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { writeTurnCount, withTurnCount } from "./turn-count.ts";
import type { CountedTurn } from "./turn-count.ts";
import { mapBounded } from "../../base/async/map-bounded.ts";
import { namespaces, turnKey } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { liveTurns, readTurnOrCut } from "./turn-cut.ts";
import type { TurnOrCut } from "./turn-cut.ts";
import { firstInput, toStoredTurn } from "./turn-record.ts";
import type { StoredTurn, TurnRecord } from "./turn-record.ts";

/** A `TurnLog` over a driver without `append`: numbers the turns itself, reads them by key, and lists no keys. */
export class KeyedTurnLog {
  readonly #driver: StorageDriver;
  readonly #ref: SessionRef;
  /** The number of the session's last turn, once known. */
  #last: number | undefined;

  constructor(driver: StorageDriver, ref: SessionRef) {
    this.#driver = driver;
    this.#ref = ref;
  }

  async newest(count: number, session: SessionRecord, before = Infinity): Promise<StoredTurn[]> {
    const missed = before === Infinity ? await this.#readLast(session) : [];
    const turns = liveTurns(missed, session.cut).slice(-count);
    for (let end = before === Infinity ? session.turns : before - 1; end > 0 && turns.length < count;) {
      const first = Math.max(1, end - (count - turns.length) + 1);
      const found = await this.#readAll(first, end);
      turns.unshift(...liveTurns(found, session.cut));
      end = (found[0]?.cut?.from ?? first) - 1;
    }
    return turns;
  }

  async after(seq: number, limit: number, session: SessionRecord): Promise<StoredTurn[]> {
    const turns: StoredTurn[] = [];
    for (let last = seq; last < session.turns && turns.length < limit;) {
      const end = Math.min(session.turns, last + limit - turns.length);
      const found = await this.#readAll(last + 1, end);
      turns.push(...liveTurns(found, session.cut));
      last = Math.max(end, found.at(-1)?.cut?.through ?? 0);
    }
    if (turns.length < limit) {
      turns.push(...liveTurns(await this.#readMissed(Math.max(seq, session.turns)), session.cut));
    }
    return turns.slice(0, limit);
  }

  async next(session: SessionRecord): Promise<number> {
    this.#last ??= session.turns + (await this.#readMissed(session.turns)).length;
    return this.#last + 1;
  }

  async append(turn: TurnRecord, session: SessionRecord): Promise<SessionRecord> {
    const last = (await this.next(session)) - 1;
    const counted = await this.#store(turn, last + 1, session);
    this.#last = last + 1;
    return counted;
  }

  /**
   * Reads the session's turns from one number to another, inclusive. A missing turn was lost in an interrupted deletion
   * and counts as deleted.
   */
  async #readAll(first: number, last: number): Promise<TurnOrCut[]> {
    const found = await mapBounded(integers(first, last), (number) => this.#read(number));
    return found.filter((record) => record !== null);
  }

  /** Reads the turns that the counter in the session's record missed, and notes the number of the last turn. */
  async #readLast({ turns }: SessionRecord): Promise<TurnOrCut[]> {
    const missed = await this.#readMissed(turns);
    this.#last = missed.at(-1)?.seq ?? turns;
    return missed;
  }

  /** Reads the turns after a number that the counter in the session's record missed: usually none. */
  async #readMissed(seq: number): Promise<TurnOrCut[]> {
    const found: TurnOrCut[] = [];
    for (let next = await this.#read(seq + 1); next !== null; next = await this.#read(next.seq + 1)) found.push(next);
    return found;
  }

  async #store(turn: TurnRecord, seq: number, session: SessionRecord): Promise<SessionRecord> {
    const value = toStoredTurn(turn);
    const write = { namespace: namespaces.turns, key: turnKey(this.#ref.key, seq), value };
    const counted = { seq, input: firstInput(turn) };
    const canStoreAtOnce = this.#driver.transaction !== undefined && this.#driver.compareAndSet === undefined;
    if (canStoreAtOnce) return await this.#storeAtOnce(write, counted, session);
    await this.#driver.set(write.namespace, write.key, value);
    return await writeTurnCount(this.#driver, this.#ref, { known: session, turn: counted });
  }

  /**
   * Writes the turn, its count and the session's list entry in one step, while no other call of this process changes
   * the session's record.
   */
  async #storeAtOnce(turn: Write, counted: CountedTurn, session: SessionRecord): Promise<SessionRecord> {
    const { key } = this.#ref;
    return await withLocalLock(this.#driver, key, async () => {
      const change = (stored: SessionRecord) => withTurnCount(stored, counted, clockOf(this.#driver));
      const { before, after } = (await nextRecord(this.#driver, key, change)) ?? {
        before: session,
        after: change(session),
      };
      const record = { namespace: namespaces.sessions, key, value: after as unknown as Json };
      await this.#driver.transaction?.([turn, record, ...indexWrites(this.#ref, before, after)]);
      return after;
    });
  }

  async #read(seq: number): Promise<TurnOrCut | null> {
    const key = turnKey(this.#ref.key, seq);
    const value = await this.#driver.get(namespaces.turns, key);
    return value === null ? null : readTurnOrCut(value, seq, { namespace: namespaces.turns, key });
  }
}

function integers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

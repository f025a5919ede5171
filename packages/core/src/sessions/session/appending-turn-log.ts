import type { AppendOptions, StorageDriver, StorageEntry } from "../storage/storage-driver.ts";
import type { SessionRef } from "./session-keys.ts";
import { writeTurnCount } from "./turn-count.ts";
import { keyPrefixOf, namespaces, turnKey, turnNumberOf } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { corruptRecord, isCount } from "../storage/stored-record.ts";
import { liveTurns, readTurnOrCut } from "./turn-cut.ts";
import type { TurnOrCut } from "./turn-cut.ts";
import { firstInput, toStoredTurn } from "./turn-record.ts";
import type { StoredTurn, TurnRecord } from "./turn-record.ts";

/** A storage driver with the optional method `append`, which numbers the records that it stores. */
export type AppendingDriver = StorageDriver & Required<Pick<StorageDriver, "append">>;

/** A `TurnLog` over a driver with `append`. The driver numbers the turns, safely for several processes. */
export class AppendingTurnLog {
  readonly #driver: AppendingDriver;
  readonly #ref: SessionRef;
  readonly #options: AppendOptions;

  /** Makes the turn log of a session. With the option `ifHeld`, only the holder of that lease can append. */
  constructor(driver: AppendingDriver, ref: SessionRef, options: AppendOptions = {}) {
    this.#driver = driver;
    this.#ref = ref;
    this.#options = options;
  }

  async newest(count: number, session: SessionRecord, end = Infinity): Promise<StoredTurn[]> {
    const turns: StoredTurn[] = [];
    let before = end;
    while (turns.length < count) {
      const limit = count - turns.length;
      const found = await this.#list(limit, { reverse: true, after: before });
      turns.unshift(...liveTurns(found, session.cut).slice(-limit));
      const [first] = found;
      if (first === undefined || found.length < limit) break;
      before = first.cut?.from ?? first.seq;
    }
    return turns;
  }

  async after(seq: number, limit: number, session: SessionRecord): Promise<StoredTurn[]> {
    const turns: StoredTurn[] = [];
    let last = seq;
    while (turns.length < limit) {
      const rest = limit - turns.length;
      const found = await this.#list(rest, { reverse: false, after: last });
      turns.push(...liveTurns(found, session.cut).slice(0, rest));
      const end = found.at(-1);
      if (end === undefined || found.length < rest) break;
      last = end.cut?.through ?? end.seq;
    }
    return turns;
  }

  async next(session: SessionRecord): Promise<number> {
    const newest = (await this.#list(1, { reverse: true, after: Infinity })).at(-1);
    return Math.max(newest?.cut?.through ?? newest?.seq ?? 0, session.turns) + 1;
  }

  async append(turn: TurnRecord, session: SessionRecord): Promise<SessionRecord> {
    const prefix = keyPrefixOf(this.#ref.key);
    const { seq } = await this.#driver.append(namespaces.turns, prefix, toStoredTurn(turn), this.#options);
    if (!isCount(seq)) throw corruptRecord({ namespace: namespaces.turns, key: prefix });
    return await writeTurnCount(this.#driver, this.#ref, { known: session, turn: { seq, input: firstInput(turn) } });
  }

  /**
   * Lists records of the session's turns before or after a number. Sorts and filters them, because a driver may ignore
   * list options.
   */
  async #list(limit: number, { reverse, after }: { reverse: boolean; after: number }): Promise<TurnOrCut[]> {
    const options = {
      ...(Number.isFinite(limit) && { limit }),
      ...(reverse && { reverse }),
      ...(Number.isFinite(after) && { after: turnKey(this.#ref.key, after) }),
    };
    const entries = await this.#driver.list(namespaces.turns, keyPrefixOf(this.#ref.key), options);
    const found = entries.map((entry) => this.#read(entry));
    const asked = found.filter(({ seq }) => (reverse ? seq < after : seq > after));
    return asked.toSorted((one, other) => one.seq - other.seq);
  }

  #read({ key, value }: StorageEntry): TurnOrCut {
    const at = { namespace: namespaces.turns, key };
    const seq = turnNumberOf(this.#ref.key, key);
    if (seq === undefined) throw corruptRecord(at);
    return readTurnOrCut(value, seq, at);
  }
}

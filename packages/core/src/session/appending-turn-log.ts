import type { Json } from "../storage/json.ts";
import type { AppendOptions, StorageDriver, StorageEntry } from "../storage/storage-driver.ts";
import type { SessionRef } from "./session-keys.ts";
import { writeTurnCount } from "./turn-count.ts";
import { keyPrefixOf, namespaces, turnKey, turnNumberOf } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { corruptRecord, isCount } from "../storage/stored-record.ts";
import { readTurnRecord } from "./turn-record.ts";
import type { StoredTurn, TurnRecord } from "./turn-record.ts";

/** A storage driver with the optional method `append`, which numbers the records that it stores. */
export type AppendingDriver = StorageDriver & Required<Pick<StorageDriver, "append">>;

/** A `TurnLog` over a driver with `append`, which numbers the turns, also for several processes. */
export class AppendingTurnLog {
  readonly #driver: AppendingDriver;
  readonly #ref: SessionRef;
  readonly #options: AppendOptions;

  /** With `ifHeld`, only the holder of the lease can append. */
  constructor(driver: AppendingDriver, ref: SessionRef, options: AppendOptions = {}) {
    this.#driver = driver;
    this.#ref = ref;
    this.#options = options;
  }

  async newest(count: number): Promise<StoredTurn[]> {
    const limit = Number.isFinite(count) && { limit: count };
    const entries = await this.#driver.list(namespaces.turns, keyPrefixOf(this.#ref.key), { reverse: true, ...limit });
    return this.#read(entries).slice(-count);
  }

  async after(seq: number, limit: number): Promise<StoredTurn[]> {
    const options = { after: turnKey(this.#ref.key, seq), ...(Number.isFinite(limit) && { limit }) };
    const turns = this.#read(await this.#driver.list(namespaces.turns, keyPrefixOf(this.#ref.key), options));
    return turns.filter((turn) => turn.seq > seq).slice(0, limit);
  }

  async append(turn: TurnRecord, session: SessionRecord): Promise<SessionRecord> {
    const prefix = keyPrefixOf(this.#ref.key);
    const { seq } = await this.#driver.append(namespaces.turns, prefix, turn as unknown as Json, this.#options);
    if (!isCount(seq)) throw corruptRecord({ namespace: namespaces.turns, key: prefix });
    return await writeTurnCount(this.#driver, this.#ref, { known: session, turn: { seq, input: turn.input } });
  }

  /** Sorts by number, because a driver may ignore list options. */
  #read(entries: readonly StorageEntry[]): StoredTurn[] {
    const turns = entries.map(({ key, value }) => {
      const at = { namespace: namespaces.turns, key };
      const seq = turnNumberOf(this.#ref.key, key);
      if (seq === undefined) throw corruptRecord(at);
      return { ...readTurnRecord(value, at), seq };
    });
    return turns.toSorted((one, other) => one.seq - other.seq);
  }
}

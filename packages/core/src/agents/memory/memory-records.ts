import { untilAborted } from "../../base/async/until-aborted.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { memoriesPrefix, memoryEntrySession, namespaces, sessionKey } from "../../sessions/session/session-keys.ts";
import { checkStoredSessionId } from "../../sessions/session/session-id.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import { scan } from "../../sessions/session/scan.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { removeEntry } from "./memory-index.ts";
import type { MemoryScope } from "./memory-options.ts";
import type { KnownStorages, MemoryStorages } from "./memory-storages.ts";
import { withRecordLock } from "./record-lock.ts";
import type { LockedRecord } from "./record-lock.ts";
import { isSeedKey, seedOf } from "./seeds.ts";

/** A stored record, and its place. */
export type FoundRecord = LockedRecord & { stored: Json };

/** The memories of a session id: of one owner or more, of which not all need be here, and the seed. */
export type FoundMemories = { owned: FoundRecord | undefined; isShared: boolean; seed: FoundRecord | undefined };

/**
 * Tells if a call says whose session it means. One that does not is of the program, which finds the session of an id
 * whatever its owner. The context of a run names its owner also where that has no user.
 */
export function namesOwner(scope: object): boolean {
  return ["tenantId", "userId", "verified", "runId"].some((name) => name in scope);
}

/** Finds the records of memories, in the storages of a `Memory`. */
export class MemoryRecords {
  readonly #storages: MemoryStorages;

  constructor(storages: MemoryStorages) {
    this.#storages = storages;
  }

  /** The storages in which memories and seeds may be. */
  get storages(): KnownStorages {
    return this.#storages.all;
  }

  /** Returns the record of an owner's session: for an agent in its own storage, else in the first that has one. */
  async ofOwner(sessionId: string, scope: MemoryScope): Promise<LockedRecord> {
    const [first, ...others] = this.placesOf(sessionId, scope);
    if (others.length === 0) return first;
    for (const record of [first, ...others]) {
      if ((await readStored(record)) !== null) return record;
    }
    return first;
  }

  /** Returns the places where the record of an owner's session may be. */
  placesOf(sessionId: string, { signal, storage, tenantId, userId, verified }: MemoryScope): LockedPlaces {
    const key = sessionKey(checkOwner({ tenantId, userId, verified }), checkStoredSessionId(sessionId));
    const place = { namespace: namespaces.memory, key };
    const all: KnownStorages = storage === undefined ? this.#storages.all : [this.#storages.forAgent(storage)];
    const [first, ...others] = all;
    return [{ driver: first, place, signal }, ...others.map((driver) => ({ driver, place, signal }))];
  }

  /** Returns the places where the seed of a session id may be. */
  seedsOf(sessionId: string, signal?: AbortSignal): LockedRecord[] {
    return this.#storages.all.map((driver) => seedOf({ driver, sessionId, signal }));
  }

  /** Returns the memory of the session with this storage key, which is in the only storage. */
  atKey(key: string, { signal }: LockedRecord): LockedRecord {
    const [driver, ...others] = this.#storages.all;
    if (others.length === 0) return { driver, place: { namespace: namespaces.memory, key }, signal };
    throw new TroupeError("conflict", "A run begins in this session at this moment. Try again.");
  }

  /**
   * Runs work on all memories of a session id when all earlier such work of this process has finished. It gets the place of
   * a new seed.
   */
  async lockId(
    sessionId: string,
    signal: AbortSignal | undefined,
    work: (newSeed: LockedRecord) => Promise<void>,
  ): Promise<void> {
    const seed = seedOf({ driver: this.#storages.all[0], sessionId: checkStoredSessionId(sessionId), signal });
    const place = { namespace: namespaces.memoryById, key: memoriesPrefix(sessionId) };
    await withRecordLock({ ...seed, place }, () => work(seed));
  }

  /** Finds the memory of the one owner of a session id, and the seed; throws `conflict` when there are several owners. */
  async withId(sessionId: string, signal?: AbortSignal): Promise<FoundMemories> {
    const found = await this.find(sessionId, signal);
    if (!found.isShared) return found;
    throw new TroupeError(
      "conflict",
      `Session ${JSON.stringify(sessionId)} has several owners. Pass { userId } of the one that is meant, with tenantId and ` +
        "verified where it has them; { userId: undefined } means the session without a user.",
    );
  }

  /** Finds the memory of one owner of a session id, whether there are others, and the seed. */
  async find(sessionId: string, signal?: AbortSignal): Promise<FoundMemories> {
    let [owned, seed]: [FoundRecord?, FoundRecord?] = [];
    for await (const found of this.allWithId(sessionId, signal)) {
      if (isSeedKey(found.place)) seed ??= found;
      else if (owned !== undefined && owned.place.key !== found.place.key) return { owned, isShared: true, seed };
      else owned ??= found;
    }
    return { owned, isShared: false, seed };
  }

  /** @yields the seed of a session id, and the memories of all its owners */
  async *allWithId(sessionId: string, signal?: AbortSignal): AsyncGenerator<FoundRecord> {
    const id = checkStoredSessionId(sessionId);
    for (const driver of this.#storages.all) yield* recordsWithId({ driver, sessionId: id, signal });
  }
}

type LockedPlaces = [LockedRecord, ...LockedRecord[]];

type IdInStorage = Pick<LockedRecord, "driver" | "signal"> & { sessionId: string };

async function* recordsWithId({ driver, sessionId, signal }: IdInStorage): AsyncGenerator<FoundRecord> {
  const recordAt = (key: string): LockedRecord => ({ driver, place: { namespace: namespaces.memory, key }, signal });
  // By its key too: earlier releases wrote no entries.
  const plain = recordAt(sessionKey({}, sessionId));
  const stored = await readStored(plain);
  if (stored !== null) yield { ...plain, stored };
  const seed = seedOf({ driver, sessionId, signal });
  const entries = scan(driver, { namespace: namespaces.memoryById, prefix: memoriesPrefix(sessionId) });
  for await (const { key, value } of abortable(entries, signal)) {
    const record = key === seed.place.key ? seed : recordAt(memoryEntrySession(key));
    const isKnown = stored !== null && record.place.key === plain.place.key;
    if (record === seed) yield { ...seed, stored: value };
    else if (!isKnown) yield* foundAt(record);
  }
}

/** Removes the entry of a memory that is not there. */
async function* foundAt(record: LockedRecord): AsyncGenerator<FoundRecord> {
  const stored = await readStored(record);
  if (stored === null) await removeEntry(record);
  else yield { ...record, stored };
}

async function* abortable<Item>(pages: AsyncGenerator<Item[]>, signal: AbortSignal | undefined): AsyncGenerator<Item> {
  for (;;) {
    const next = await untilAborted(() => pages.next(), signal);
    if (next.done === true) return;
    yield* next.value;
  }
}

/** Reads a record as it is stored. */
export async function readStored({ driver, place, signal }: LockedRecord): Promise<Json | null> {
  return await untilAborted(() => driver.get(place.namespace, place.key), signal);
}

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

/** A stored memory record, and its location. */
export type FoundRecord = LockedRecord & { stored: Json };

/**
 * The memories of a session id: the memory of one owner, and the seed. `isShared` is true if more owners have a session
 * of that id. A seed holds messages that were added before the session began.
 */
export type FoundMemories = { owned: FoundRecord | undefined; isShared: boolean; seed: FoundRecord | undefined };

/**
 * Returns true if a call names the owner of its session. A call without an owner is the program's own and finds the
 * session of an id, whatever its owner. A run's context names its owner even if the owner has no user.
 */
export function namesOwner(scope: object): boolean {
  return ["tenantId", "userId", "verified", "runId"].some((name) => name in scope);
}

/** Finds the records of sessions' memories in the storages of a `Memory`. */
export class MemoryRecords {
  readonly #storages: MemoryStorages;

  constructor(storages: MemoryStorages) {
    this.#storages = storages;
  }

  /** The storages in which a `Memory` may have records. */
  get storages(): KnownStorages {
    return this.#storages.all;
  }

  /**
   * Returns the location of the memory of an owner's session. For an agent it is in the agent's storage, otherwise in
   * the first storage that has the record.
   */
  async ofOwner(sessionId: string, scope: MemoryScope): Promise<LockedRecord> {
    const [first, ...others] = this.placesOf(sessionId, scope);
    if (others.length === 0) return first;
    for (const record of [first, ...others]) {
      if ((await readStored(record)) !== null) return record;
    }
    return first;
  }

  /** Returns the locations where the record of an owner's session may be. */
  placesOf(sessionId: string, { signal, storage, tenantId, userId, verified }: MemoryScope): LockedPlaces {
    const key = sessionKey(checkOwner({ tenantId, userId, verified }), checkStoredSessionId(sessionId));
    const place = { namespace: namespaces.memory, key };
    const all: KnownStorages = storage === undefined ? this.#storages.all : [this.#storages.forAgent(storage)];
    const [first, ...others] = all;
    return [{ driver: first, place, signal }, ...others.map((driver) => ({ driver, place, signal }))];
  }

  /** Returns the locations where the seed of a session id may be: messages that were added before the session began. */
  seedsOf(sessionId: string, signal?: AbortSignal): LockedRecord[] {
    return this.#storages.all.map((driver) => seedOf({ driver, sessionId, signal }));
  }

  /** Returns the location of a session's memory by its storage key. Throws `conflict` if there are several storages. */
  atKey(key: string, { signal }: LockedRecord): LockedRecord {
    const [driver, ...others] = this.#storages.all;
    if (others.length === 0) return { driver, place: { namespace: namespaces.memory, key }, signal };
    throw new TroupeError("conflict", "A run begins in this session at this moment. Try again.");
  }

  /**
   * Performs work on all memories of a session id, after all earlier work of this kind in this process. The work
   * receives the location for messages that are added before a session of that id begins.
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

  /**
   * Finds the memory of a session id's only owner, and the messages added before the session began (the seed). Throws
   * `conflict` if there are several owners.
   */
  async withId(sessionId: string, signal?: AbortSignal): Promise<FoundMemories> {
    const found = await this.find(sessionId, signal);
    if (!found.isShared) return found;
    throw new TroupeError(
      "conflict",
      `Session ${JSON.stringify(sessionId)} has several owners. Pass { userId } of the one that is meant, with tenantId and ` +
        "verified where it has them; { userId: undefined } means the session without a user.",
    );
  }

  /**
   * Finds the memory of one owner of a session id, and the messages added before the session began (the seed).
   * `isShared` is true if there are further owners; the seed may then be missing.
   */
  async find(sessionId: string, signal?: AbortSignal): Promise<FoundMemories> {
    let [owned, seed]: [FoundRecord?, FoundRecord?] = [];
    for await (const found of this.allWithId(sessionId, signal)) {
      if (isSeedKey(found.place)) seed ??= found;
      else if (owned !== undefined && owned.place.key !== found.place.key) return { owned, isShared: true, seed };
      else owned ??= found;
    }
    return { owned, isShared: false, seed };
  }

  /** @yields the memories of all owners of a session id, and the seed: messages added before the session began */
  async *allWithId(sessionId: string, signal?: AbortSignal): AsyncGenerator<FoundRecord> {
    const id = checkStoredSessionId(sessionId);
    for (const driver of this.#storages.all) yield* recordsWithId({ driver, sessionId: id, signal });
  }
}

type LockedPlaces = [LockedRecord, ...LockedRecord[]];

type IdInStorage = Pick<LockedRecord, "driver" | "signal"> & { sessionId: string };

async function* recordsWithId({ driver, sessionId, signal }: IdInStorage): AsyncGenerator<FoundRecord> {
  const recordAt = (key: string): LockedRecord => ({ driver, place: { namespace: namespaces.memory, key }, signal });
  // The memory of a session without an owner is also looked up by key, because earlier releases wrote no index entries.
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

/** Yields a memory's record if it is stored; otherwise removes its index entry. */
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

/** Reads the stored value of a memory's record, unchecked; `null` if there is none. */
export async function readStored({ driver, place, signal }: LockedRecord): Promise<Json | null> {
  return await untilAborted(() => driver.get(place.namespace, place.key), signal);
}

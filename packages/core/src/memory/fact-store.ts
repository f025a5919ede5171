import type { Lease } from "../lock/lease.ts";
import { mapBounded } from "../async/map-bounded.ts";
import { removeAll } from "../session/remove-session.ts";
import { factsOf, namespaces } from "../session/session-keys.ts";
import { untilAborted } from "../async/until-aborted.ts";
import { encodeKey } from "../storage/encode-key.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { inTurn } from "./in-turn.ts";
import type { FactPlan } from "./plan-facts.ts";
import { readFact } from "./user-fact.ts";
import type { FactRecord, StoredFact } from "./user-fact.ts";

/** One user's facts in a storage, each a record of its own. */
export type FactPlace = {
  driver: StorageDriver;
  tenantId: string | undefined;
  userId: string;
  signal: AbortSignal | undefined;
};

const namespace = namespaces.facts;

/** All facts of the user, in no order. */
export async function listFacts({ driver, tenantId, userId, signal }: FactPlace): Promise<StoredFact[]> {
  const prefix = factsOf(tenantId, userId);
  const entries = await untilAborted(() => driver.list(namespace, prefix), signal);
  return entries.map(({ key, value }) => ({
    ...readFact(value, { namespace, key }),
    id: decodeURIComponent(key.slice(prefix.length)),
  }));
}

/** Changes a user's facts by a plan, after all who came before, and gives those that were stored. */
export async function changeFacts(
  place: FactPlace,
  plan: (known: readonly StoredFact[]) => FactPlan,
): Promise<StoredFact[]> {
  return await held(place, async (turn) => {
    const { stored, removed } = plan(await listFacts(place));
    // What is new comes first: when this is cut short, there may be too many facts for a while, and none is lost.
    const writes = [...stored.map((fact) => writeOf(place, fact)), ...removed.map((fact) => deleteOf(place, fact.id))];
    if (writes.length > 0) await turn.write(() => apply(place.driver, writes), place.signal);
    return stored;
  });
}

/** Removes one fact; that it is not there is no error. */
export async function removeFact(place: FactPlace, id: string): Promise<void> {
  const { key } = deleteOf(place, id);
  await held(place, async (turn) => await turn.write(() => place.driver.delete(namespace, key), place.signal));
}

/** Removes all facts of the user, damaged ones too. When it rejects, some may be left: it can be repeated. */
export async function removeFacts(place: FactPlace): Promise<void> {
  const prefix = factsOf(place.tenantId, place.userId);
  await held(place, async (turn) => await turn.write(() => removeAll(place.driver, namespace, prefix), place.signal));
}

async function held<Result>(place: FactPlace, work: (turn: Lease) => Promise<Result>): Promise<Result> {
  const { driver, signal } = place;
  return await inTurn({ driver, place: { namespace, key: factsOf(place.tenantId, place.userId) }, signal }, work);
}

async function apply(driver: StorageDriver, writes: readonly Write[]): Promise<void> {
  if (driver.transaction !== undefined) return await driver.transaction(writes);
  const [sets, deletes] = [writes.filter(({ value }) => value !== null), writes.filter(({ value }) => value === null)];
  await mapBounded(sets, ({ key, value }) => driver.set(namespace, key, value));
  await mapBounded(deletes, ({ key }) => driver.delete(namespace, key));
}

function writeOf({ tenantId, userId }: FactPlace, { id, ...record }: StoredFact): Write {
  const value: FactRecord = record;
  return { namespace, key: factsOf(tenantId, userId) + encodeKey(id), value: value satisfies Json };
}

function deleteOf({ tenantId, userId }: FactPlace, id: string): Write {
  return { namespace, key: factsOf(tenantId, userId) + encodeKey(id), value: null };
}

import assert from "node:assert/strict";
import type { VectorChange } from "@troupe/core/vector";
import type { DatabaseVectorStore } from "@troupe/core/vector";
import { seededRandom } from "../process/seeded-random.ts";
import { hostileStrings } from "./hostile-strings.ts";

/**
 * Options of `checkTenants`: the number of tenants, the number of rounds in which each makes a change, and the seed.
 */
export type TenantsOptions = {
  /** Number of tenants. @default 12 */
  tenants?: number;
  /** Number of rounds. @default 12 */
  rounds?: number;
  /** Seed of names and changes. @default 1 */
  seed?: number;
};

type Collection = ReturnType<DatabaseVectorStore["collection"]>;

/** A tenant: the part of a store that it may see, and its expected documents by id. */
type Tenant = {
  readonly name: string;
  readonly store: Collection;
  /** The metadata of the tenant's documents and filters in a shared collection. */
  readonly mark: Record<string, unknown>;
  readonly expected: Map<string, { content: string; round: number }>;
};

/**
 * Lets tenants with hostile, near-equal names change and read documents concurrently. Some have a collection each,
 * others share one collection with a filter on their name. Asserts that each finds exactly its own documents. The store
 * must be empty, for vectors with two numbers.
 */
export async function checkTenants(
  store: Collection,
  { tenants = 12, rounds = 12, seed = 1 }: TenantsOptions = {},
): Promise<void> {
  const random = seededRandom(seed);
  const names = nearEqualNames(tenants, seed);
  const shared = store.collection("shared by tenants");
  const all = names.flatMap((name): Tenant[] => [
    { name, store: store.collection(name), mark: {}, expected: new Map() },
    { name, store: shared, mark: { tenant: name }, expected: new Map() },
  ]);
  for (let round = 0; round < rounds; round++) {
    // All changes are chosen before the start, so that a seed repeats them.
    const changes = all.map((tenant) => ({ tenant, change: chooseChange(tenant, round, random) }));
    await Promise.all(changes.map(async ({ tenant, change }) => await tenant.store.write(change)));
    await Promise.all(all.map(checkTenant));
  }
  const first = all[0];
  await first?.store.clear();
  first?.expected.clear();
  await Promise.all(all.map(checkTenant));
}

/** Makes names that differ only in letter case, spaces or Unicode forms, and other hostile names. */
function nearEqualNames(count: number, seed: number): string[] {
  const near = [
    "tenant",
    "Tenant",
    "tenant ",
    "tenant%",
    "tenant\u200b",
    "ten\u00e4nt",
    "tena\u0308nt",
    "tenant/tenant",
  ];
  return [...new Set([...near, ...hostileStrings(count, seed)])].slice(0, count);
}

/** Chooses a change and applies it to the expected documents. */
function chooseChange({ name, mark, expected }: Tenant, round: number, random: () => number): VectorChange {
  // Tenants of a shared collection use different ids. Tenants with their own collections may use the same.
  const prefix = mark["tenant"] === undefined ? "" : `${name}/`;
  const id = () => `${prefix}${Math.floor(random() * 6)}`;
  const content = `${name} in round ${round}`;
  const ids = [...new Set([id(), id(), id()])];
  const upsert = ids.map((each) => ({ id: each, content, embedding: [1, random()], metadata: { ...mark, round } }));
  const [deletedId, deletedRound] = [id(), Math.floor(random() * round)];
  expected.delete(deletedId);
  for (const [each, document] of expected) if (document.round === deletedRound) expected.delete(each);
  for (const each of ids) expected.set(each, { content, round });
  return { upsert, delete: [deletedId], deleteWhere: { ...mark, round: deletedRound } };
}

async function checkTenant({ name, store, mark, expected }: Tenant): Promise<void> {
  const found = await store.search([1, 0], { topK: 1000, filter: mark });
  const contents = found.map(({ document }) => [document.id, document.content]);
  const wanted = [...expected].map(([id, { content }]) => [id, content]);
  assert.deepEqual(contents.toSorted(byId), wanted.toSorted(byId), `for the tenant ${JSON.stringify(name)}`);
  const [id] = wanted[0] ?? [];
  if (id !== undefined) assert.equal((await store.get(id))?.content, expected.get(id)?.content);
}

function byId([one = ""]: string[], [other = ""]: string[]): number {
  return one < other ? -1 : 1;
}

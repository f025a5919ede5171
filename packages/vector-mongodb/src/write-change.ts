import { createId } from "@troupe/core/kit";
import { checkDimensions } from "@troupe/core/vector";
import type { VectorWrite } from "@troupe/core/vector";
import { ConcurrentWriteError } from "@troupe-internal/mongodb";
import type { Filter } from "mongodb";
import { inOneStep } from "./in-one-step.ts";
import type { SessionVectors } from "./in-one-step.ts";
import type { OpenVectors } from "./open-vectors.ts";
import { idOf, inScope, keyOf, toStored } from "./stored-vector.ts";
import type { CatalogEntry, StoredVector } from "./stored-vector.ts";

/**
 * The maximum number of documents or ids in one request. The MongoDB driver splits requests that are still too large.
 */
const atOnce = 1000;

/** A change of a collection, with the collection's path. */
type PathChange = { readonly path: string; readonly change: VectorWrite };

/**
 * Makes a change of a collection: in a transaction or, on a standalone server, in steps. Returns the collection's
 * catalog entry, or `null` if the collection does not exist and the change only removes documents.
 */
export async function writeChange(vectors: OpenVectors, pathChange: PathChange): Promise<CatalogEntry | null> {
  return await inOneStep(vectors, async (inSession) => await applyChange(inSession, pathChange));
}

async function applyChange(vectors: SessionVectors, { path, change }: PathChange): Promise<CatalogEntry | null> {
  const { documents, deletedIds, deletedWhere } = change;
  const { session, documents: records } = vectors;
  const found = await vectors.catalog.findOne({ _id: keyOf(path) }, { session });
  const dimensions = found?.dimensions ?? documents[0]?.vector.length;
  for (const { vector } of documents) checkDimensions(vector.length, dimensions);
  if (found === null && documents.length === 0) return null;
  const entry = await countChange(vectors, { path, found, dimensions });
  const { scope, changes } = entry;
  // New documents are stored first, so that a reader without transactions misses no document.
  await storeAll(vectors, { documents, entry });
  const matching = deletedWhere === undefined ? [] : await findIds(vectors, inScope(scope, deletedWhere), changes);
  const ids = [...deletedIds.map((id) => idOf(scope, id)), ...matching];
  for (let from = 0; from < ids.length; from += atOnce)
    await records.deleteMany({ _id: { $in: ids.slice(from, from + atOnce) } }, { session });
  return entry;
}

/**
 * Counts the change in the catalog. The count puts the changes of a collection, its first dimensions and `clear` into
 * one order.
 */
async function countChange(
  { catalog, session }: SessionVectors,
  { path, found, dimensions }: { path: string; found: CatalogEntry | null; dimensions: number | undefined },
): Promise<CatalogEntry> {
  const known = dimensions === undefined ? {} : { dimensions };
  if (found === null) {
    const entry = { ...newEntry(path), changes: 1, ...known };
    await catalog.insertOne(entry, { session });
    return entry;
  }
  const { _id, scope, changes } = found;
  const next = { changes: changes + 1, ...known };
  const { matchedCount } = await catalog.updateOne({ _id, scope, changes }, { $set: next }, { session });
  if (matchedCount === 0) throw new ConcurrentWriteError();
  return { ...found, ...next };
}

/** Makes the catalog entry of an empty collection. Its scope is never reused after a `clear`. */
export function newEntry(path: string): CatalogEntry {
  const _id = keyOf(path);
  return { _id, path, scope: `${_id}.${createId()}`, changes: 0, hasWords: true };
}

/**
 * Returns the ids of the documents that match a filter and were stored by changes before this change. Without
 * transactions, documents of a later change may exist already: they are omitted.
 */
async function findIds(
  { documents, session }: SessionVectors,
  filter: Filter<StoredVector>,
  change: number,
): Promise<string[]> {
  const found = await documents.find(filter, { session, projection: { change: 1 } }).toArray();
  return found.filter((each) => each.change < change).map(({ _id }) => _id);
}

async function storeAll(
  { documents: records, session, toBinary }: SessionVectors,
  { documents, entry }: { documents: VectorWrite["documents"]; entry: CatalogEntry },
): Promise<void> {
  const { scope, changes: change } = entry;
  const last = documents.at(-1);
  for (let from = 0; from < documents.length; from += atOnce) {
    const operations = documents.slice(from, from + atOnce).map((document) => {
      const stored = toStored(document, { scope, change, toBinary });
      const replacement = document === last ? { ...stored, lastOf: change } : stored;
      return { replaceOne: { filter: { _id: stored._id }, replacement, upsert: true } };
    });
    await records.bulkWrite(operations, { session });
  }
}

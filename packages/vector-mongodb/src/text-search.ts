import { TroupeError } from "@troupe/core";
import type { VectorSearchResult } from "@troupe/core";
import type { TextSearchQuery } from "@troupe/core/vector";
import type { Document } from "mongodb";
import { readEntry, readFound } from "./exact-search.ts";
import type { FoundItem } from "./exact-search.ts";
import { inOneStep } from "./in-one-step.ts";
import type { OpenVectors } from "./open-vectors.ts";
import { inScope, keyOf, toFields, withTerms } from "./stored-vector.ts";
import { toStoredTerms, toWords } from "./stored-words.ts";

/** The usual constants of BM25, and the length of a text, in words, whose score is neither raised nor reduced. */
const [saturation, lengthWeight, usualLength] = [1.2, 0.75, 256];

/** Number of documents in a collection below which a search omits no word as too common. */
const fewDocuments = 1000;

/** Largest number of documents with a word that are counted, which is enough to tell a rare word from a common word. */
const mostCounted = 20_000;

/** Number of documents whose words `createWords` stores at once. */
const indexedAtOnce = 200;

/** A word of a query with its weight: the rarer the word, the greater. */
type WeightedWord = { readonly word: string; readonly weight: number };

/** Returns true if all documents of a collection are stored with their words. */
export async function hasWords(vectors: OpenVectors, path: string): Promise<boolean> {
  const entry = await readEntry(vectors, path);
  return entry === null || entry.hasWords === true;
}

/** Searches a collection by words. Throws `invalid_config` if its documents are stored without words. */
export async function searchWords(
  vectors: OpenVectors,
  path: string,
  { terms, filter, topK }: TextSearchQuery,
): Promise<VectorSearchResult[]> {
  const entry = await readEntry(vectors, path);
  if (entry === null) return [];
  const { scope } = entry;
  if (entry.hasWords !== true) {
    const message = "The collection has no text index. Create it once with createTextIndex().";
    throw new TroupeError("invalid_config", message);
  }
  const weighted = await weigh(vectors, scope, toStoredTerms(terms));
  if (weighted.length === 0) return [];
  const among = { scope, words: { $in: weighted.map(({ word }) => word) }, ...withTerms(filter) };
  const score = { $sum: weighted.map(scoreOf) };
  const damping = {
    $multiply: [saturation, { $add: [1 - lengthWeight, { $multiply: [lengthWeight / usualLength, "$wordCount"] }] }],
  };
  const stages = [
    { $match: among },
    { $project: { id: 1, words: 1, counts: 1, damping } },
    { $project: { id: 1, score } },
    { $sort: { score: -1, id: 1 } },
    { $limit: topK },
  ];
  return await inOneStep(vectors, async (inStep) => {
    // Another scope means that the collection was cleared after `entry` had been read.
    if ((await readEntry(inStep, path))?.scope !== scope) return [];
    const { documents, session } = inStep;
    const options = { session, allowDiskUse: true };
    const found = await documents.aggregate<FoundItem & { score: number }>(stages, options).toArray();
    const items = found.map(({ _id, id, score: measure }) => ({ item: { _id, id }, score: measure }));
    return await readFound(inStep, items);
  });
}

/**
 * Stores the words of all documents of a collection that an older version has stored without words. A document that is
 * replaced meanwhile has words already. After a failure, the next call continues.
 */
export async function createWords(vectors: OpenVectors, path: string): Promise<void> {
  const { catalog, documents } = vectors;
  const entry = await readEntry(vectors, path);
  if (entry === null || entry.hasWords === true) return;
  const projection = { id: 1, content: 1, metadata: 1, change: 1 };
  const missing = { ...inScope(entry.scope), wordCount: { $exists: false } };
  let operations: Parameters<typeof documents.bulkWrite>[0][number][] = [];
  const store = async (): Promise<void> => {
    if (operations.length > 0) await documents.bulkWrite(operations, { ordered: false });
    operations = [];
  };
  for await (const stored of documents.find(missing, { projection, batchSize: indexedAtOnce })) {
    const filter = { _id: stored._id, change: stored.change };
    operations.push({ updateOne: { filter, update: { $set: toWords(toFields(stored)) } } });
    if (operations.length === indexedAtOnce) await store();
  }
  await store();
  await catalog.updateOne({ _id: keyOf(path), scope: entry.scope }, { $set: { hasWords: true } });
}

/**
 * Weighs the words of a query by their rarity, as BM25 does. In a large collection, words that most documents have are
 * omitted, unless there are no others.
 */
async function weigh({ documents }: OpenVectors, scope: string, words: readonly string[]): Promise<WeightedWord[]> {
  const options = { limit: mostCounted };
  const total = await documents.countDocuments(inScope(scope), options);
  const counted = await Promise.all(
    words.map(async (word) => ({ word, count: await documents.countDocuments({ scope, words: word }, options) })),
  );
  const known = counted.filter(({ count }) => count > 0);
  const rare = known.filter(({ count }) => total < fewDocuments || count <= total / 2);
  return (rare.length > 0 ? rare : known).map(({ word, count }) => {
    return { word, weight: Math.log(1 + Math.max(0, total - count + 0.5) / (count + 0.5)) };
  });
}

/** Returns MongoDB's expression for the part of a document's score that one word contributes. */
function scoreOf({ word, weight }: WeightedWord): Document {
  const count = {
    $let: {
      vars: { at: { $indexOfArray: ["$words", { $literal: word }] } },
      in: { $cond: [{ $lt: ["$$at", 0] }, 0, { $arrayElemAt: ["$counts", "$$at"] }] },
    },
  };
  const part = { $divide: [{ $multiply: [weight * (saturation + 1), "$$count"] }, { $add: ["$$count", "$damping"] }] };
  return { $let: { vars: { count }, in: part } };
}

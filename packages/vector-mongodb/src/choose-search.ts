import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { compareInServer, ExactFinder, scan } from "./exact-search.ts";
import type { Finder } from "./mongodb-vector-database.ts";
import type { VectorSettings } from "./mongodb-vector-options.ts";
import { IndexedFinder } from "./indexed-search.ts";
import type { OpenVectors } from "./open-vectors.ts";
import { SearchIndexes } from "./search-indexes.ts";

/** Error codes of a reachable server that has no MongoDB Vector Search, or denies it to this user. */
const refusals: readonly unknown[] = [13, 59, 115, 8000, 31_082, 40_324];

/** Error codes of a server that does not support an expression or a stage. */
const unknowns: readonly unknown[] = [...refusals, 168, 31_325, 40_323];

/** The second argument of `chooseSearch`: the search that the user wants, and the log to which the choice is written. */
export type SearchChoice = { readonly wanted: VectorSettings["search"]; readonly logger: Logger };

/**
 * Asks the server once for its features, chooses how documents are found, and logs the choice. Throws `invalid_config`
 * if the user requires an index and the server has none.
 */
export async function chooseSearch(vectors: OpenVectors, { wanted, logger }: SearchChoice): Promise<Finder> {
  const isIndexed = wanted !== "exact" && (await hasVectorSearch(vectors));
  if (wanted === "vector" && !isIndexed) {
    const message =
      'search: "vector" needs MongoDB Vector Search: Atlas, or a server with mongot, and a user who may list and create ' +
      'search indexes. With search: "auto" all documents are compared where it is missing.';
    throw new TroupeError("invalid_config", message);
  }
  const inServer = await hasSimilarity(vectors);
  const exact = new ExactFinder(vectors, inServer ? compareInServer : scan);
  if (!isIndexed) {
    const place = inServer ? "by the server, with $similarityCosine" : "in this process";
    logger.info(`Each search compares all documents, ${place}.`);
    return exact;
  }
  logger.info("Searches use the index of MongoDB Vector Search.");
  const indexes = new SearchIndexes(vectors, { isRequired: wanted === "vector", logger });
  await indexes.prepareCollection();
  return new IndexedFinder(vectors, { exact, indexes });
}

async function hasVectorSearch({ documents }: OpenVectors): Promise<boolean> {
  return await isAnswered(async () => void (await documents.listSearchIndexes().toArray()), refusals);
}

/**
 * Returns true if the server supports `$similarityCosine`. Tests with literal documents, because a server may not
 * evaluate expressions for an empty collection.
 */
async function hasSimilarity({ db }: OpenVectors): Promise<boolean> {
  const stages = [{ $documents: [{}] }, { $project: { cosine: { $similarityCosine: [[1], [1]] } } }];
  let cosine: unknown;
  const isKnown = await isAnswered(async () => {
    cosine = (await db.aggregate(stages, { readConcern: { level: "local" } }).next())?.["cosine"];
  }, unknowns);
  return isKnown && cosine === 1;
}

/** Returns true if the MongoDB server does the work. Returns false if it refuses with one of the codes. */
async function isAnswered(work: () => Promise<void>, codes: readonly unknown[]): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const { name, code } = error as { name?: unknown; code?: unknown };
    if (name === "MongoServerError" && codes.includes(code)) return false;
    throw error;
  }
}

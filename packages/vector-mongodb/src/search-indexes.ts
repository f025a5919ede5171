import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import type { Document } from "mongodb";
import type { OpenVectors } from "./open-vectors.ts";
import { vectorField } from "./stored-vector.ts";

/** Largest number of dimensions that MongoDB indexes. */
const mostDimensions = 8192;

/** Milliseconds for which the state of an index that is not ready is cached. */
const recheckMs = 1000;

/** The fields by which searches filter. The index must declare each of them. */
const filterFields = ["scope", "terms", "lastOf"];

type IndexState = { readonly isReady: boolean; readonly checkedMs: number };

/**
 * Options of `SearchIndexes`: `isRequired`, which makes an impossible index an error instead of a warning, and a log.
 */
export type SearchIndexOptions = { readonly isRequired: boolean; readonly logger: Logger };

/**
 * The indexes of MongoDB Vector Search. All vectors with the same number of dimensions share one index, because
 * clusters allow only a few.
 */
export class SearchIndexes {
  readonly #vectors: OpenVectors;
  readonly #options: SearchIndexOptions;
  readonly #states = new Map<number, Promise<IndexState>>();

  constructor(vectors: OpenVectors, options: SearchIndexOptions) {
    this.#vectors = vectors;
    this.#options = options;
  }

  /** Creates the ordinary indexes for finding documents that the vector index does not contain yet. */
  async prepareCollection(): Promise<void> {
    const { documents } = this.#vectors;
    await documents.createIndex({ scope: 1, change: 1 });
    await documents.createIndex({ scope: 1, lastOf: 1 }, { partialFilterExpression: { lastOf: { $exists: true } } });
  }

  /** Throws `invalid_value` for vectors that cannot be indexed if an index is required. */
  checkDimensions(dimensions: number): void {
    if (dimensions <= mostDimensions || !this.#options.isRequired) return;
    const message = `MongoDB indexes vectors of at most ${mostDimensions} dimensions, got ${dimensions}. Use search: "auto".`;
    throw new TroupeError("invalid_value", message);
  }

  /**
   * Creates the index for this number of dimensions if it does not exist. Returns true if the index can be queried;
   * building it takes a while.
   */
  async isReady(dimensions: number): Promise<boolean> {
    const last = this.#states.get(dimensions);
    if (last !== undefined) {
      const known = await last;
      if (known.isReady || performance.now() - known.checkedMs < recheckMs) return known.isReady;
      // Another call has begun to check the index in the meantime.
      if (this.#states.get(dimensions) !== last) return await this.isReady(dimensions);
    }
    const checked = this.#check(dimensions);
    this.#states.set(dimensions, checked);
    checked.catch(() => this.#states.delete(dimensions));
    return (await checked).isReady;
  }

  /** Makes the next search check the index again, because the index found too few documents. */
  doubt(dimensions: number): void {
    this.#states.delete(dimensions);
  }

  async #check(dimensions: number): Promise<IndexState> {
    const found = (await this.#find(dimensions)) ?? (await this.#create(dimensions));
    const problem = problemOf(found, dimensions);
    if (problem !== undefined) return this.#refuse(problem);
    return { isReady: found?.["queryable"] === true, checkedMs: performance.now() };
  }

  async #find(dimensions: number): Promise<Document | undefined> {
    const [found] = await this.#vectors.documents.listSearchIndexes(indexName(dimensions)).toArray();
    return found;
  }

  /**
   * Creates the vector index. If another process created it first, returns that index. Returns the status `REFUSED` if
   * the server refuses.
   */
  async #create(dimensions: number): Promise<Document | undefined> {
    if (dimensions > mostDimensions) return { status: `"more than ${mostDimensions} dimensions"` };
    const { documents } = this.#vectors;
    const definition = { name: indexName(dimensions), type: "vectorSearch", definition: definitionOf(dimensions) };
    try {
      await documents.createSearchIndex(definition);
    } catch (error) {
      const found = await this.#find(dimensions);
      if (found !== undefined) return found;
      if ((error as { name?: unknown }).name !== "MongoServerError") throw error;
      return { status: "REFUSED" };
    }
    return await this.#find(dimensions);
  }

  /**
   * Throws `invalid_config` if an index is required. Otherwise warns that all documents are compared. It warns only
   * once, because the state is cached.
   */
  #refuse(problem: string): IndexState {
    if (this.#options.isRequired) throw new TroupeError("invalid_config", problem);
    this.#options.logger.warn(`${problem} Until then each search compares all documents.`);
    return { isReady: false, checkedMs: Infinity };
  }
}

/** Returns the name of the vector index for this number of dimensions. */
export function indexName(dimensions: number): string {
  return `troupe_${vectorField(dimensions)}`;
}

function definitionOf(dimensions: number): Document {
  const vector = { type: "vector", path: vectorField(dimensions), numDimensions: dimensions, similarity: "cosine" };
  return { fields: [vector, ...filterFields.map((path) => ({ type: "filter", path }))] };
}

/** Returns the reason why an index is unusable and will not become usable by itself, with advice. */
function problemOf(index: Document | undefined, dimensions: number): string | undefined {
  const name = indexName(dimensions);
  if (dimensions > mostDimensions) return `MongoDB indexes no vectors of ${dimensions} dimensions. Use shorter ones.`;
  const { status, latestDefinition } = (index ?? {}) as { status?: unknown; latestDefinition?: Document };
  if (status === "REFUSED") {
    const advice = "Grant the user the role readWrite, or drop other search indexes: small clusters allow few";
    return `MongoDB did not create the search index ${name}. ${advice}.`;
  }
  if (status === "FAILED") return `MongoDB could not build the search index ${name}. Drop it, and restart.`;
  const fields: unknown = latestDefinition?.["fields"];
  if (!Array.isArray(fields)) return undefined;
  const has = (wanted: Document) => fields.some((field: Document) => isPart(wanted, field));
  const { fields: wanted } = definitionOf(dimensions) as { fields: Document[] };
  if (wanted.every(has)) return undefined;
  return `The search index ${name} has another definition than this store needs. Drop it, and restart.`;
}

function isPart(wanted: Document, field: Document): boolean {
  return Object.entries(wanted).every(([name, value]) => field[name] === value);
}

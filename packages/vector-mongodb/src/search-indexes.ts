import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import type { Document } from "mongodb";
import type { OpenVectors } from "./open-vectors.ts";
import { vectorField } from "./stored-vector.ts";

/** The most dimensions that MongoDB indexes. */
const mostDimensions = 8192;

/** Milliseconds for which the state of an index that cannot be queried yet is taken for known. */
const recheckMs = 1000;

/** The fields by which searches filter. Each must be declared in the index. */
const filterFields = ["scope", "terms", "lastOf"];

type IndexState = { readonly isReady: boolean; readonly checkedMs: number };

/** Options of `SearchIndexes`: whether an index that cannot be made is an error or a warning, and a log. */
export type SearchIndexOptions = { readonly isRequired: boolean; readonly logger: Logger };

/** The indexes of MongoDB Vector Search, one for each number of dimensions: clusters allow few of them. */
export class SearchIndexes {
  readonly #vectors: OpenVectors;
  readonly #options: SearchIndexOptions;
  readonly #states = new Map<number, Promise<IndexState>>();

  constructor(vectors: OpenVectors, options: SearchIndexOptions) {
    this.#vectors = vectors;
    this.#options = options;
  }

  /** Creates the usual indexes by which documents are found that the vector index does not show yet. */
  async prepareCollection(): Promise<void> {
    const { documents } = this.#vectors;
    await documents.createIndex({ scope: 1, change: 1 });
    await documents.createIndex({ scope: 1, lastOf: 1 }, { partialFilterExpression: { lastOf: { $exists: true } } });
  }

  /** Throws `invalid_value` for vectors that cannot be indexed, when an index is required. */
  checkDimensions(dimensions: number): void {
    if (dimensions <= mostDimensions || !this.#options.isRequired) return;
    const message = `MongoDB indexes vectors of at most ${mostDimensions} dimensions, got ${dimensions}. Use search: "auto".`;
    throw new TroupeError("invalid_value", message);
  }

  /** Creates the index for this many dimensions if it does not exist. Tells if it can be queried, which takes a while. */
  async isReady(dimensions: number): Promise<boolean> {
    const last = this.#states.get(dimensions);
    if (last !== undefined) {
      const known = await last;
      if (known.isReady || performance.now() - known.checkedMs < recheckMs) return known.isReady;
      // Another use has begun to look meanwhile.
      if (this.#states.get(dimensions) !== last) return await this.isReady(dimensions);
    }
    const checked = this.#check(dimensions);
    this.#states.set(dimensions, checked);
    checked.catch(() => this.#states.delete(dimensions));
    return (await checked).isReady;
  }

  /** Looks at the index again before its next use: it found less than there is. */
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

  /** Another process may create it first: then it is there now. */
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

  /** Without an index all documents are compared. This is said once, because the answer is kept. */
  #refuse(problem: string): IndexState {
    if (this.#options.isRequired) throw new TroupeError("invalid_config", problem);
    this.#options.logger.warn(`${problem} Until then each search compares all documents.`);
    return { isReady: false, checkedMs: Infinity };
  }
}

/** Returns the name of the vector index for this many dimensions. */
export function indexName(dimensions: number): string {
  return `troupe_${vectorField(dimensions)}`;
}

function definitionOf(dimensions: number): Document {
  const vector = { type: "vector", path: vectorField(dimensions), numDimensions: dimensions, similarity: "cosine" };
  return { fields: [vector, ...filterFields.map((path) => ({ type: "filter", path }))] };
}

/** Says why an index cannot be used and will not become usable by itself, and how to mend that. */
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

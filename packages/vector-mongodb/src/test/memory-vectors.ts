import { Binary } from "mongodb";
import type { Document } from "mongodb";
import type { OpenVectors } from "../open-vectors.ts";
import { checkStage } from "./search-rules.ts";

type Row = Document & { readonly _id: string };
type FindOptions = { readonly sort?: Readonly<Record<string, number>>; readonly limit?: number };

const filters = new Set(["scope", "terms", "lastOf"]);
const comparisons: Readonly<Record<string, (held: unknown, wanted: unknown) => boolean>> = {
  $in: (held, wanted) => (wanted as unknown[]).includes(held),
  $gt: (held, wanted) => held !== undefined && (held as number) > (wanted as number),
  $gte: (held, wanted) => held !== undefined && (held as number) >= (wanted as number),
  $lt: (held, wanted) => held !== undefined && (held as number) < (wanted as number),
  $lte: (held, wanted) => held !== undefined && (held as number) <= (wanted as number),
  $exists: (held, wanted) => (held !== undefined) === wanted,
};

/** Returns true if a document matches a filter that uses this package's operators. */
function matches(row: Document, filter: Document): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    if (name === "$and") return (wanted as Document[]).every((part) => matches(row, part));
    const held: unknown = row[name];
    if (typeof wanted !== "object" || wanted === null)
      return Array.isArray(held) ? held.includes(wanted) : held === wanted;
    return Object.entries(wanted as object).every(([operator, operand]) => {
      const compare = comparisons[operator];
      if (compare === undefined) throw new Error(`No operator ${operator}.`);
      return compare(held, operand);
    });
  });
}

/** A MongoDB collection in memory, with the few methods and operators that this package uses. */
class MemoryCollection {
  rows: readonly Row[] = [];

  find(filter: Document, { sort, limit = Infinity }: FindOptions = {}) {
    const [by = "_id"] = Object.keys(sort ?? {});
    const found = this.rows.filter((row) => matches(row, filter));
    if (sort !== undefined) found.sort((one, other) => (Number(one[by]) - Number(other[by])) * Number(sort[by]));
    const rows = found.slice(0, limit);
    return {
      toArray: () => Promise.resolve(rows),
      async *[Symbol.asyncIterator]() {
        await Promise.resolve();
        yield* rows;
      },
    };
  }

  async findOne(filter: Document, options?: FindOptions): Promise<Row | null> {
    return (await this.find(filter, options).toArray())[0] ?? null;
  }

  insertOne(row: Row): Promise<void> {
    this.rows = [...this.rows, row];
    return Promise.resolve();
  }

  updateOne(filter: Document, { $set }: Document): Promise<{ matchedCount: number }> {
    const found = this.rows.find((row) => matches(row, filter));
    this.rows = this.rows.map((row) => (row === found ? { ...row, ...($set as Document) } : row));
    return Promise.resolve({ matchedCount: found === undefined ? 0 : 1 });
  }

  deleteMany(filter: Document): Promise<void> {
    this.rows = this.rows.filter((row) => !matches(row, filter));
    return Promise.resolve();
  }

  bulkWrite(operations: readonly { replaceOne: { replacement: Row } }[]): Promise<void> {
    const written = new Map(operations.map(({ replaceOne: { replacement } }) => [replacement._id, replacement]));
    this.rows = [...this.rows.filter(({ _id }) => !written.has(_id)), ...written.values()];
    return Promise.resolve();
  }
}

/** The collections of a vector store in memory. Tests control which documents the vector index contains. */
export class MemoryVectors {
  readonly documents = new MemoryCollection();
  readonly catalog = new MemoryCollection();
  /** The `$vectorSearch` stages that the index received. */
  readonly asked: Document[] = [];
  /** Called before each answer of the index. */
  meanwhile: () => Promise<void> = async () => {};
  #shown: readonly Row[] = [];

  /** The collections in the form that the code accepts. */
  get open(): OpenVectors {
    const documents = Object.assign(this.documents, {
      aggregate: ([stage]: readonly Document[], options?: Document) => ({
        toArray: async () => {
          // MongoDB searches an index with no other read concern.
          if (JSON.stringify(options) !== '{"readConcern":{"level":"local"}}') throw new Error("No such read concern.");
          return await this.#search(stage?.["$vectorSearch"] as Document);
        },
      }),
    });
    return {
      documents,
      catalog: this.catalog,
      timeoutMs: 1000,
      isStandalone: true,
      toBinary: (vector: Float32Array) => Binary.fromFloat32Array(vector),
      startSession: () => ({ endSession: () => Promise.resolve() }),
    } as unknown as OpenVectors;
  }

  /** Updates the index to all present documents. */
  refresh(): void {
    this.#shown = this.documents.rows;
  }

  /** Finds the nearest documents in the index that still exist, as MongoDB does. */
  async #search(stage: Document): Promise<{ _id: string }[]> {
    const path = String(stage["path"]);
    const wanted = checkStage(stage, { path, dimensions: Number(path.slice("vector".length)), filters });
    this.asked.push(stage);
    await this.meanwhile();
    const scored = this.#shown
      .filter((row) => path in row && matches(row, stage["filter"] as Document))
      .map((row) => ({ row, score: dot((row[path] as Binary).toFloat32Array(), wanted) / Number(row["length"]) }));
    const nearest = scored.toSorted((one, other) => other.score - one.score).slice(0, Number(stage["limit"]));
    const existing = new Set(this.documents.rows.map(({ _id }) => _id));
    return nearest.flatMap(({ row: { _id } }) => (existing.has(_id) ? [{ _id }] : []));
  }
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, number, index) => sum + number * (other[index] ?? Number.NaN), 0);
}

import type { Binary, Document, MongoClient } from "mongodb";
import { checkDefinition, checkStage, matches, RefusedError } from "./search-rules.ts";
import type { CheckedDefinition } from "./search-rules.ts";

/** The collection of a `SearchIndexDouble`, the length of its build, and how often it updates. */
export type IndexDoubleOptions = {
  place: { db: string; collection: string };
  buildsFor: number;
  refreshEvery: number;
};

type Indexed = Document & { vector: Float32Array };

/** The double of one vector index: a copy of the documents as of some searches ago. */
export class SearchIndexDouble {
  readonly name: string;
  readonly key: string;
  readonly #definition: Document;
  readonly #checked: CheckedDefinition;
  readonly #options: IndexDoubleOptions;
  #described = 0;
  #searches = 0;
  #copy = new Map<string, Indexed>();

  constructor(given: Document, options: IndexDoubleOptions) {
    this.#checked = checkDefinition(given);
    this.#definition = given["definition"] as Document;
    this.#options = options;
    this.name = String(given["name"]);
    this.key = `${options.place.db}.${options.place.collection}.${this.name}`;
  }

  isOf(db: unknown, collection: unknown): boolean {
    return db === this.#options.place.db && collection === this.#options.place.collection;
  }

  describe(): Document {
    this.#described += 1;
    const { name, key: id } = this;
    const status = this.#isQueryable ? "READY" : "BUILDING";
    return { id, name, status, queryable: this.#isQueryable, latestDefinition: this.#definition };
  }

  /** Returns the ids of the nearest documents that still exist, nearest first. */
  async search(stage: Document, client: MongoClient): Promise<string[]> {
    const wanted = checkStage(stage, this.#checked);
    if (!this.#isQueryable) throw new RefusedError(8, "cannot query an index that is being built");
    const { db, collection } = this.#options.place;
    const records = client.db(db).collection<Document & { _id: string }>(collection);
    if (this.#searches % this.#options.refreshEvery === 0) this.#copy = await this.#read(records.find());
    this.#searches += 1;
    const found = [...this.#copy].filter(([, document]) => matches(document, stage["filter"] as Document));
    const scored = found.map(([id, { vector }]) => ({ id, score: cosine(vector, wanted) }));
    const nearest = scored.toSorted((one, other) => other.score - one.score).slice(0, Number(stage["limit"]));
    const ids = nearest.map(({ id }) => id);
    const kept = await records.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
    const existing = new Set(kept.map(({ _id }) => _id));
    return ids.filter((id) => existing.has(id));
  }

  get #isQueryable(): boolean {
    return this.#described > this.#options.buildsFor;
  }

  async #read(documents: AsyncIterable<Document & { _id: string }>): Promise<Map<string, Indexed>> {
    const copy = new Map<string, Indexed>();
    for await (const document of documents) {
      const vector = (document[this.#checked.path] as Binary | undefined)?.toFloat32Array();
      if (vector === undefined || vector.length !== this.#checked.dimensions) continue;
      const held = [...this.#checked.filters].map((name) => [name, document[name] as unknown]);
      copy.set(document._id, { ...Object.fromEntries(held), vector } as Indexed);
    }
    return copy;
  }
}

function cosine(one: Float32Array, other: Float32Array): number {
  let [dot, left, right] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    const [a, b] = [one[index] ?? NaN, other[index] ?? NaN];
    dot = Math.fround(dot + a * b);
    left = Math.fround(left + a * a);
    right = Math.fround(right + b * b);
  }
  return dot / Math.sqrt(left * right);
}

import type { IncomingHttpHeaders } from "node:http";
import { problemOfBody } from "./check-request.ts";
import type { RequestName } from "./check-request.ts";
import { DoubleCollection, QdrantRefusal } from "./double-collection.ts";
import type { DoubleOperation, DoubleQuery, DoubleScroll } from "./double-collection.ts";

/** A request to the double: its path without the query, the query, the headers, and the body as it was parsed. */
export type DoubleRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
};

type Body = Record<string, unknown>;
type Handler = (name: string, body: Body, query: URLSearchParams) => unknown;

/** The requests of Qdrant's REST interface that the double takes, each checked against the published description. */
export class DoubleRoutes {
  readonly collections = new Map<string, DoubleCollection>();
  beforeChange: (() => Promise<void>) | undefined;
  readonly #handlers: Readonly<Record<string, Handler>> = {
    "GET exists": (name) => ({ exists: this.collections.has(name) }),
    "PUT ": async (name, body) => await this.#create(name, checked("CreateCollection", body)),
    "DELETE ": (name) => this.collections.delete(name),
    "GET ": (name) => describe(this.#need(name)),
    "PATCH ": (name, { metadata }) => this.#update(name, metadata as object),
    "PUT vectors/words": (name, { sparse }) => this.#addVector(name, sparse),
    "PUT index": (name, body) => this.#index(name, checked("CreateFieldIndex", body)),
    "POST points": (name, body) => this.#retrieve(name, checked("PointRequest", body)),
    "POST points/scroll": (name, body) => this.#need(name).scroll(body as DoubleScroll),
    "POST points/query": (name, body) => ({
      points: this.#need(name).query(checked("QueryRequest", body) as DoubleQuery),
    }),
    "POST points/batch": async (name, body, query) =>
      await this.#batch(this.#need(name), checked("UpdateOperations", body), query),
  };

  /** Returns the result of a request. Throws `QdrantRefusal`. */
  async answer({ method, path, body, query }: DoubleRequest): Promise<unknown> {
    const [, first, encoded = "", ...rest] = path.split("/");
    const name = decodeURIComponent(encoded);
    const handler = this.#handlers[`${method} ${rest.join("/")}`];
    const isLegal = name !== "" && name.length <= 255 && !/[<>:"/\\|?*\p{Cc}]/u.test(name);
    if (first !== "collections" || handler === undefined || !isLegal) throw new QdrantRefusal(404, "Not found");
    return await handler(name, body, query);
  }

  #need(name: string): DoubleCollection {
    const collection = this.collections.get(name);
    if (collection !== undefined) return collection;
    throw new QdrantRefusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
  }

  async #create(name: string, config: Body): Promise<boolean> {
    const created = new DoubleCollection(config);
    // Others that create it meanwhile are told that it exists.
    await new Promise(setImmediate);
    if (this.collections.has(name)) {
      throw new QdrantRefusal(409, `Wrong input: Collection \`${name}\` already exists!`);
    }
    this.collections.set(name, created);
    return true;
  }

  #update(name: string, metadata: object): boolean {
    const collection = this.#need(name);
    collection.metadata = { ...(collection.metadata as object), ...metadata };
    return true;
  }

  #addVector(name: string, config: unknown): unknown {
    const collection = this.#need(name);
    collection.sparseVectors = { ...collection.sparseVectors, words: config };
    return { operation_id: 0, status: "completed" };
  }

  #index(name: string, { field_name, field_schema }: Body): unknown {
    this.#need(name).indexes.set(String(field_name), { data_type: field_schema, points: 0 });
    return { operation_id: 0, status: "completed" };
  }

  #retrieve(name: string, { ids, ...selection }: Body): unknown[] {
    return this.#need(name).retrieve(ids as string[], selection);
  }

  async #batch(collection: DoubleCollection, { operations }: Body, query: URLSearchParams): Promise<unknown> {
    const ordering = query.get("ordering") ?? "weak";
    if (!["weak", "medium", "strong"].includes(ordering)) throw new QdrantRefusal(400, "Unknown ordering");
    const applied = this.#apply(collection, operations as DoubleOperation[]);
    if (query.get("wait") === "true") return await applied;
    // Qdrant answers before it has made the change.
    applied.catch(() => {});
    return [{ operation_id: 0, status: "acknowledged" }];
  }

  async #apply(collection: DoubleCollection, operations: readonly DoubleOperation[]): Promise<unknown[]> {
    const results: unknown[] = [];
    for (const operation of operations) {
      for (const change of collection.changes(operation)) {
        await this.beforeChange?.();
        change();
      }
      // Other requests come between the operations of a batch.
      await new Promise(setImmediate);
      results.push({ operation_id: results.length, status: "completed" });
    }
    return results;
  }
}

function checked(name: RequestName, body: Body): Body {
  const problem = problemOfBody(name, body);
  if (problem === undefined) return body;
  throw new QdrantRefusal(400, `Format error in JSON body: ${problem}`);
}

function describe({ size, distance, metadata, indexes, points, sparseVectors }: DoubleCollection): unknown {
  const config = { params: { vectors: { size, distance }, sparse_vectors: sparseVectors }, metadata };
  return { status: "green", config, points_count: points.size, payload_schema: Object.fromEntries(indexes) };
}

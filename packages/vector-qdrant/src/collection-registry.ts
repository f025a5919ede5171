import { createHash } from "node:crypto";
import type { QdrantClient } from "@qdrant/js-client-rest";
import { TroupeError } from "@troupe/core";
import { isMissing, statusOf } from "./qdrant-failure.ts";
import { pointIdOf } from "./stored-point.ts";

/** Returns the name of the Qdrant collection that stores the embedding models of a store's collections. */
export function registryOf(prefix: string): string {
  return `${prefix}-models`;
}

/**
 * Returns the Qdrant name of a collection: a readable part, and a hash of the whole path. Qdrant also stores the path
 * as metadata of the collection.
 */
export function collectionNameOf(prefix: string, path: string): string {
  const readable = path
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 40);
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 32);
  return [prefix, ...(readable === "" ? [] : [readable]), hash].join("-");
}

/** The names of the embedding models of collections, each stored as a point of one Qdrant collection. */
export class CollectionRegistry {
  readonly #client: QdrantClient;
  readonly #name: string;

  constructor(client: QdrantClient, prefix: string) {
    this.#client = client;
    this.#name = registryOf(prefix);
  }

  /** Stores the model name of a collection if it has none, and returns the stored name. */
  async rememberModel(path: string, model: string): Promise<string> {
    const known = await this.#read(path);
    if (known !== undefined) return known;
    await this.#insert(path, model);
    const kept = await this.#read(path);
    // After the insertion, another process may have cleared the collection, and the stored name with it.
    return kept ?? model;
  }

  async forgetModel(path: string): Promise<void> {
    const operations = [{ delete: { points: [pointIdOf(path)] } }];
    await unlessMissing(this.#client.batchUpdate(this.#name, { wait: true, ordering: "strong", operations }));
  }

  async #read(path: string): Promise<string | undefined> {
    const request = { ids: [pointIdOf(path)], with_payload: true, with_vector: false };
    const points = await unlessMissing(this.#client.retrieve(this.#name, request));
    const { collection, model } = points?.[0]?.payload ?? {};
    if (collection === undefined) return undefined;
    if (collection === path && typeof model === "string") return model;
    throw new TroupeError(
      "storage_corrupt",
      `The collection ${this.#name} in Qdrant holds a point of another program.`,
    );
  }

  async #insert(path: string, model: string): Promise<void> {
    // This filter matches no point, so that existing points are not updated: the first of many processes wins.
    const update_filter = { must: [{ has_id: [] }] };
    const points = [{ id: pointIdOf(path), vector: [1], payload: { collection: path, model } }];
    const operations = [{ upsert: { points, update_filter } }];
    const write = async () =>
      await this.#client.batchUpdate(this.#name, { wait: true, ordering: "strong", operations });
    if ((await unlessMissing(write())) !== undefined) return;
    await createUnlessThere(this.#client, this.#name, { vectors: { size: 1, distance: "Dot" } });
    await write();
  }
}

/** Awaits a reply of Qdrant. Returns `undefined` if the collection does not exist. */
export async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Creates a Qdrant collection. If another process created it at the same time, it is left unchanged. */
export async function createUnlessThere(
  client: QdrantClient,
  name: string,
  config: Parameters<QdrantClient["createCollection"]>[1],
): Promise<void> {
  try {
    await client.createCollection(name, config);
  } catch (error) {
    if (statusOf(error) === 409) return;
    // Some versions of Qdrant answer 400 to a second creation.
    if (statusOf(error) !== 400 || !(await client.collectionExists(name)).exists) throw error;
  }
}

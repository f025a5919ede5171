import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { TroupeError } from "@troupe/core";
import type { EmbeddingProvider, StorageDriver, VectorStore } from "@troupe/core";
import { MongoStorage } from "@troupe/storage-mongodb";
import { PostgresStorage } from "@troupe/storage-postgres";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { MongoDbVectorStore } from "@troupe/vector-mongodb";
import { PgVectorStore } from "@troupe/vector-pgvector";
import { QdrantVectorStore } from "@troupe/vector-qdrant";
import { SqliteVectorStore } from "@troupe/vector-sqlite";
import type { StoreChoice } from "./read-stores.ts";

/**
 * The path of the SQLite file for sessions, runs and vectors, and the database servers that the environment selects
 * instead of this file.
 */
type Place = { readonly choice: StoreChoice; readonly file: string };

/**
 * Opens the storage of sessions and runs, and writes to it once, because a read-only storage would refuse the first
 * session.
 */
export async function openStorage({ choice, file }: Place): Promise<StorageDriver> {
  try {
    await mkdir(resolve(file, ".."), { recursive: true });
    const storage = createStorage({ choice, file });
    await storage.set("demo", "startedAt", Date.now());
    return storage;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TroupeError("storage_unavailable", `${unavailable({ choice, file })} (${reason})`, { cause: error });
  }
}

function createStorage({ choice: { storage }, file }: Place): StorageDriver {
  if (storage === undefined) return new SqliteStorage(file);
  const { url } = storage.address;
  return storage.kind === "postgres" ? new PostgresStorage(url) : new MongoStorage(url);
}

function unavailable({ choice: { storage }, file }: Place): string {
  if (storage === undefined)
    return `Cannot store sessions in ${file}. Set TROUPE_DEMO_DATA to a folder that this process can write to.`;
  const variable = storage.kind === "postgres" ? "DATABASE_URL" : "MONGODB_URL";
  return `Cannot store sessions in ${storage.address.shown}. Start that server, or unset ${variable} to use a file.`;
}

/** Creates the vector store. It connects on its first call. */
export function createVectorStore({ choice, file }: Place, embeddings: EmbeddingProvider): VectorStore {
  const { vectors, qdrantKey: apiKey } = choice;
  if (vectors === undefined) return new SqliteVectorStore(file, { embeddings });
  const { url } = vectors.address;
  if (vectors.kind === "qdrant") return new QdrantVectorStore({ url, apiKey, embeddings });
  return vectors.kind === "pgvector"
    ? new PgVectorStore(url, { embeddings })
    : new MongoDbVectorStore(url, { embeddings });
}

/** Describes where sessions and vectors are stored, without secrets. */
export function describeStores({ choice: { storage, vectors }, file }: Place): { sessions: string; vectors: string } {
  return {
    sessions: storage?.address.shown ?? file,
    vectors: vectors === undefined ? file : `${vectors.address.shown} (${vectors.kind})`,
  };
}

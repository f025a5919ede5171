import { join } from "node:path";
import { InMemoryVectorStore } from "@troupe/core";
import type { EmbeddingProvider, VectorStore } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { MongoDbVectorStore } from "@troupe/vector-mongodb";
import { PgVectorStore } from "@troupe/vector-pgvector";
import { QdrantVectorStore } from "@troupe/vector-qdrant";
import { SqliteVectorStore } from "@troupe/vector-sqlite";

/** The variables with the addresses of servers, as `pnpm test:services` names them. */
type Addresses = Readonly<Record<string, string | undefined>>;

/** Opens a new store of each kind whose server is there, by the name of its class. */
export function openStores(
  folder: string,
  embeddings: EmbeddingProvider,
  addresses: Addresses,
): Readonly<Record<string, VectorStore>> {
  const name = `bench_${createId().slice(-12).toLowerCase()}`;
  const { TROUPE_TEST_PGVECTOR_URL, TROUPE_TEST_MONGODB_URL, TROUPE_TEST_QDRANT_URL } = addresses;
  return {
    InMemoryVectorStore: new InMemoryVectorStore({ embeddings }),
    SqliteVectorStore: new SqliteVectorStore(join(folder, "docs.db"), { embeddings }),
    ...(TROUPE_TEST_PGVECTOR_URL && {
      PgVectorStore: new PgVectorStore(TROUPE_TEST_PGVECTOR_URL, { embeddings, schema: name }),
    }),
    ...(TROUPE_TEST_MONGODB_URL && {
      MongoDbVectorStore: new MongoDbVectorStore(TROUPE_TEST_MONGODB_URL, {
        embeddings,
        dbName: name,
        timeoutMs: 60_000,
      }),
    }),
    ...(TROUPE_TEST_QDRANT_URL && {
      QdrantVectorStore: new QdrantVectorStore({ url: TROUPE_TEST_QDRANT_URL, embeddings, prefix: name }),
    }),
  };
}

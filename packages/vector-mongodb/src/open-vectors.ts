import { openMongo } from "@troupe-internal/mongodb";
import type { MongoFailures } from "@troupe-internal/mongodb";
import type { ClientSession, Collection, Db } from "mongodb";
import type { VectorSettings } from "./mongodb-vector-options.ts";
import type { CatalogEntry, StoredVector, ToBinary } from "./stored-vector.ts";

/** The two MongoDB collections of a vector store on a connected server. `close` disconnects. */
export type OpenVectors = {
  readonly documents: Collection<StoredVector>;
  readonly catalog: Collection<CatalogEntry>;
  readonly db: Db;
  readonly timeoutMs: number;
  /** True for a server outside of replica sets and sharded clusters, which has no transactions and no snapshots. */
  readonly isStandalone: boolean;
  readonly toBinary: ToBinary;
  readonly startSession: () => ClientSession;
  readonly close: () => Promise<void>;
};

/** Connects, and prepares collections and indexes. If that fails, throws a `TroupeError` and closes the connection. */
export async function openVectors(settings: VectorSettings, failures: MongoFailures): Promise<OpenVectors> {
  const { Binary } = await import("mongodb");
  const catalogName = `${settings.collectionName}.catalog`;
  const place = { ...settings, owner: "MongoDbVectorStore", collectionNames: [settings.collectionName, catalogName] };
  return await openMongo(place, failures, async ({ client, db, isStandalone, collectionOptions }) => {
    const documents = db.collection<StoredVector>(settings.collectionName, collectionOptions);
    await documents.createIndex({ scope: 1, terms: 1 });
    await documents.createIndex({ scope: 1, words: 1 });
    return {
      documents,
      catalog: db.collection<CatalogEntry>(catalogName, collectionOptions),
      db,
      timeoutMs: settings.timeoutMs,
      isStandalone,
      toBinary: (vector) => Binary.fromFloat32Array(vector),
      startSession: () => client.startSession(),
      close: async () => await client.close(),
    };
  });
}

import { MongoFailures } from "@troupe-internal/mongodb";
import { createLogger } from "@troupe/core";
import { DatabaseVectorStore } from "@troupe/core/vector";
import { chooseSearch } from "./choose-search.ts";
import { MongoDbVectorDatabase } from "./mongodb-vector-database.ts";
import { readArguments } from "./mongodb-vector-options.ts";
import type { MongoDbVectorOptions } from "./mongodb-vector-options.ts";
import { openVectors } from "./open-vectors.ts";

/** The warning about a standalone server: the missing features, and how to get them. */
const standaloneWarning =
  "MongoDB runs as a standalone server, which has no transactions. A change of several documents is not one step: " +
  "others may see a part of it, and a crash may leave one. Start it as a replica set; one server is enough " +
  '("mongod --replSet rs0", then "rs.initiate()" once in mongosh).';

/**
 * A vector store in MongoDB. It uses the index of MongoDB Vector Search if the deployment has it (Atlas, or a server
 * with mongot), and otherwise compares all documents. Any number of processes may use it at the same time.
 */
export class MongoDbVectorStore extends DatabaseVectorStore {
  /** Does not connect. The first call of another method connects to the server. */
  constructor(uri: string, options: MongoDbVectorOptions = {}) {
    const settings = readArguments(uri, options);
    const failures = new MongoFailures(uri);
    const open = async () => {
      const logger = settings.logger ?? createLogger({ level: "warn", prefix: "MongoDbVectorStore" });
      const vectors = await openVectors(settings, failures);
      try {
        const finder = await chooseSearch(vectors, { wanted: settings.search, logger });
        if (vectors.isStandalone) logger.warn(standaloneWarning);
        return new MongoDbVectorDatabase(vectors, { finder, failures });
      } catch (error) {
        await vectors.close();
        throw failures.from(error);
      }
    };
    const { embeddings, dimensions } = settings;
    super({ name: "The MongoDB vector store", open, searchesText: true, embeddings, dimensions });
  }
}

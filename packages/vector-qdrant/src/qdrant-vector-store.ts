import { createLogger } from "@troupe/core";
import { readOptions } from "@troupe/core/kit";
import { DatabaseVectorStore } from "@troupe/core/vector";
import { openQdrant } from "./open-qdrant.ts";
import { QdrantDatabase } from "./qdrant-database.ts";
import { QdrantFailures } from "./qdrant-failure.ts";
import { qdrantOptionTable } from "./qdrant-options.ts";
import type { QdrantOptions } from "./qdrant-options.ts";

/**
 * A vector store in Qdrant, with a Qdrant collection for each of its own collections. Any number of processes may use
 * it at the same time. The first call connects.
 */
export class QdrantVectorStore extends DatabaseVectorStore {
  constructor(options: QdrantOptions = {}) {
    const settings = readOptions(qdrantOptionTable, options, { owner: "QdrantVectorStore" });
    const { embeddings, dimensions, prefix, apiKey } = settings;
    const failures = new QdrantFailures(apiKey);
    const open = async () => {
      const logger = settings.logger ?? createLogger({ level: "warn", prefix: "QdrantVectorStore" });
      return new QdrantDatabase({ client: await openQdrant(settings, { failures, logger }), failures, prefix });
    };
    super({ name: "The Qdrant vector store", open, searchesText: true, embeddings, dimensions });
  }
}

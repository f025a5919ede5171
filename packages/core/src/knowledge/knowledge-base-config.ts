import { checkCount } from "../errors/check-option.ts";
import { wrongOption } from "../errors/read-options.ts";
import { checkOptionNames } from "../errors/check-option-names.ts";
import { keyProblem } from "../util/key-problem.ts";
import { readProperty } from "../util/read-property.ts";
import type { EmbeddingProvider } from "../vector/embedding-provider.ts";
import type { VectorStore } from "../vector/vector-store.ts";

/** How a knowledge base is set up. */
export type KnowledgeBaseConfig = {
  name: string;
  vectorStore: VectorStore;
  /** Where its documents are in the store; two with the same collection have the same documents. @default the name */
  collection?: string;
  /** Makes vectors of documents and queries. @default those of the store */
  embeddings?: EmbeddingProvider;
  /** How many texts are embedded in one call. @default 100 */
  batchSize?: number;
  /** How many batches are on their way at once. @default 4 */
  concurrency?: number;
};

const known = ["name", "vectorStore", "collection", "embeddings", "batchSize", "concurrency"];

/** Refuses what a knowledge base could not work with. */
export function checkKnowledgeBaseConfig(config: KnowledgeBaseConfig): void {
  checkOptionNames(config, known, "a knowledge base");
  checkName(config.name, "name");
  if (config.collection !== undefined) checkName(config.collection, "collection");
  checkMethod(config.vectorStore, "upsert", { option: "vectorStore", expected: "a VectorStore" });
  if (config.embeddings !== undefined) {
    checkMethod(config.embeddings, "embedBatch", { option: "embeddings", expected: "an EmbeddingProvider" });
  }
  if (config.batchSize !== undefined) checkCount(config.batchSize, "batchSize", 1);
  if (config.concurrency !== undefined) checkCount(config.concurrency, "concurrency", 1);
}

function checkName(name: unknown, option: string): void {
  const isName = typeof name === "string" && name.trim() !== "" && keyProblem(name) === undefined;
  if (!isName) throw wrongOption(option, "a text of at most 1024 bytes that is well-formed and not blank", name);
}

function checkMethod(value: unknown, method: string, { option, expected }: { option: string; expected: string }): void {
  if (typeof readProperty(value, method) !== "function") throw wrongOption(option, expected, value);
}

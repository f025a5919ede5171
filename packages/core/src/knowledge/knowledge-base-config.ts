import {
  booleanOption,
  functionOption,
  integerOption,
  methodsOption,
  optional,
  customOption,
} from "../base/errors/option-checks.ts";
import { readOptions } from "../base/errors/read-options.ts";
import type { OptionsOf, OptionTable } from "../base/errors/read-options.ts";
import type { Telemetry } from "../base/telemetry/telemetry.ts";
import { telemetryOption } from "../base/telemetry/telemetry.ts";
import { isBlank } from "../base/util/is-blank.ts";
import { keyProblem } from "../base/util/key-problem.ts";
import type { EmbeddingProvider } from "./vector/embedding-provider.ts";
import type { VectorStore } from "./vector/vector-store.ts";
import { chunkingOption } from "./chunking.ts";
import type { Chunking } from "./chunking.ts";
import type { Rerank } from "./rerank-results.ts";

/**
 * Constructor options of a `KnowledgeBase`: the vector store and collection, the embeddings, the batches for adding,
 * the pieces of long documents, and the order of results.
 */
export type KnowledgeBaseConfig = {
  /** The name of the knowledge base, and by default of its collection and tool. */
  name: string;
  /** The store that holds the documents and finds the documents nearest to a query. */
  vectorStore: VectorStore;
  /** The collection of the store that holds the documents. Knowledge bases may share a collection. @default the name */
  collection?: string | undefined;
  /** The provider that turns documents and queries into vectors. @default the embeddings of the store */
  embeddings?: EmbeddingProvider | undefined;
  /** The maximum number of texts in one embedding call. @default 100 */
  batchSize?: number | undefined;
  /** The maximum number of batches that are processed at once. @default 4 */
  concurrency?: number | undefined;
  /**
   * Splits long documents into pieces of at most `size` tokens. Each piece repeats at most `overlap` tokens of the
   * previous piece. `false` stores every document whole; a function returns the pieces. Documents with an embedding
   * stay whole.
   * @default { size: 2000, overlap: 200 }
   */
  chunking?: Chunking | undefined;
  /** Reorders the results of searches for a text: see `Rerank`. */
  rerank?: Rerank | undefined;
  /**
   * Records searches and embeddings that the program makes itself, such as `createTelemetry()` of `@troupe/otel`. A
   * search by a tool is recorded as a part of its run. @default nothing is recorded
   */
  telemetry?: Telemetry | undefined;
  /**
   * Closes the store together with the knowledge base. Set `false` for a store that several knowledge bases share.
   * @default true
   */
  ownsStore?: boolean | undefined;
};

const storedName = customOption<string>(
  "a well-formed string of at most 1024 bytes that is not blank",
  (value) => typeof value === "string" && !isBlank(value) && keyProblem(value) === undefined,
);

const optionTable = {
  name: storedName,
  vectorStore: methodsOption<VectorStore>("a VectorStore", "upsert", "search"),
  collection: optional(storedName),
  embeddings: optional(methodsOption<EmbeddingProvider>("an EmbeddingProvider", "embed", "embedBatch")),
  batchSize: optional(integerOption(1), 100),
  concurrency: optional(integerOption(1), 4),
  chunking: optional(chunkingOption),
  rerank: optional(functionOption<Rerank>()),
  telemetry: optional(telemetryOption),
  ownsStore: optional(booleanOption, true),
} satisfies OptionTable<KnowledgeBaseConfig>;

/** Checks the options of a `KnowledgeBase` and adds the defaults. A wrong or unknown option is `invalid_config`. */
export function readKnowledgeBaseConfig(config: KnowledgeBaseConfig): OptionsOf<typeof optionTable> {
  return readOptions(optionTable, config, { owner: "KnowledgeBase" });
}

import { checkRuntime } from "./base/util/check-runtime.ts";

// Types of the contract `VectorStore`.
export type {
  VectorChange,
  TextSearchOptions,
  VectorListOptions,
  VectorListPage,
} from "./knowledge/vector/vector-store.ts";

// A vector store over a database.
export { DatabaseVectorStore, vectorStoreOptionTable } from "./knowledge/vector/database-vector-store.ts";
export type { VectorStoreOptions } from "./knowledge/vector/database-vector-store.ts";
export type {
  VectorWithLength,
  VectorWrite,
  StoredDocument,
  VectorListQuery,
  VectorSearchQuery,
  TextSearchQuery,
  TextSearchDatabase,
  VectorDatabase,
} from "./knowledge/vector/vector-database.ts";
export { checkDimensions } from "./knowledge/vector/check-document.ts";
export type { DocumentFields } from "./knowledge/vector/check-document.ts";
export { filterPath, filterTerms, matchesFilter, metadataTerms } from "./knowledge/vector/metadata-filter.ts";
export type { MetadataFilter } from "./knowledge/vector/metadata-filter.ts";
export { searchedText } from "./knowledge/vector/text/searched-text.ts";
export { indexTerms, toWordIndexText, toIndexTerm } from "./knowledge/vector/text/text-terms.ts";
export { NearestItems } from "./knowledge/vector/nearest-items.ts";
export type { ScoredItem } from "./knowledge/vector/nearest-items.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();

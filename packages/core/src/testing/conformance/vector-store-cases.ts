import { vectorDocumentCases } from "./vector-document-cases.ts";
import { vectorSearchCases } from "./vector-search-cases.ts";

/** What every `VectorStore` promises; the subject is empty, for vectors of two numbers, and makes no embeddings. */
export const vectorStoreCases = { ...vectorDocumentCases, ...vectorSearchCases };

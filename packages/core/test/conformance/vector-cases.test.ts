import { describe, it } from "vitest";
import { checkConformance } from "../../src/testing/conformance/check-conformance.ts";
import { embeddingProviderCases } from "../../src/testing/conformance/embedding-provider-cases.ts";
import {
  vectorCollectionCases,
  vectorEmbeddingsCases,
  vectorWriteCases,
} from "../../src/testing/conformance/vector-optional-cases.ts";
import type { VectorStoreWithCollections } from "../../src/testing/conformance/vector-optional-cases.ts";
import { vectorListCases } from "../../src/testing/conformance/vector-list-cases.ts";
import { vectorStoreCases } from "../../src/testing/conformance/vector-store-cases.ts";
import { checkWrongSubjects } from "./check-wrong-subjects.ts";
import { embeddingsBut, wrongEmbeddings } from "./wrong-embeddings.ts";
import { embedding, wrongVectorCollections, wrongVectorEmbeddings } from "./wrong-vector-collections.ts";
import { wrongVectorDocuments } from "./wrong-vector-documents.ts";
import { wrongVectorSearches } from "./wrong-vector-searches.ts";
import { wrongVectorLists } from "./wrong-vector-lists.ts";
import { wrongVectorWrites } from "./wrong-vector-writes.ts";
import { storeBut } from "./wrong-vector-store.ts";

describe("InMemoryVectorStore behind a proxy", () => {
  const create = () => storeBut(() => ({}));
  const dispose = async (store: VectorStoreWithCollections) => await store.close();
  checkConformance(it, vectorStoreCases, { create, dispose });
  checkConformance(it, vectorCollectionCases, { create, dispose });
  checkConformance(it, vectorWriteCases, { create, dispose });
  checkConformance(it, vectorListCases, { create, dispose });
  checkConformance(it, vectorEmbeddingsCases, { create: () => embedding(() => ({})) });
});

describe("the suites of vector stores", () => {
  checkWrongSubjects(it, vectorStoreCases, { ...wrongVectorDocuments, ...wrongVectorSearches });
  checkWrongSubjects(it, vectorCollectionCases, wrongVectorCollections);
  checkWrongSubjects(it, vectorWriteCases, wrongVectorWrites);
  checkWrongSubjects(it, vectorListCases, wrongVectorLists);
  checkWrongSubjects(it, vectorEmbeddingsCases, wrongVectorEmbeddings);
});

describe("FakeEmbeddings", () => {
  checkConformance(it, embeddingProviderCases, { create: () => embeddingsBut(() => ({})) });
});

describe("the suite of embedding providers", () => {
  checkWrongSubjects(it, embeddingProviderCases, wrongEmbeddings);
});

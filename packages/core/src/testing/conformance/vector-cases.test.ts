import { describe, it } from "vitest";
import { InMemoryVectorStore } from "../../vector/in-memory-vector-store.ts";
import { checkConformance } from "./check-conformance.ts";
import { embeddingProviderCases } from "./embedding-provider-cases.ts";
import { vectorCollectionCases } from "./vector-collection-cases.ts";
import { vectorEmbeddingsCases } from "./vector-embeddings-cases.ts";
import { vectorStoreCases } from "./vector-store-cases.ts";
import { checkWrongSubjects } from "./wrong/check-wrong-subjects.ts";
import { embeddingsBut, wrongEmbeddings } from "./wrong/wrong-embeddings.ts";
import { embedding, wrongVectorCollections, wrongVectorEmbeddings } from "./wrong/wrong-vector-collections.ts";
import { wrongVectorDocuments } from "./wrong/wrong-vector-documents.ts";
import { wrongVectorSearches } from "./wrong/wrong-vector-searches.ts";

describe("InMemoryVectorStore", () => {
  const create = () => new InMemoryVectorStore({ dimensions: 2 });
  const dispose = async (store: InMemoryVectorStore) => await store.close();
  checkConformance(it, vectorStoreCases, { create, dispose });
  checkConformance(it, vectorCollectionCases, { create, dispose });
  checkConformance(it, vectorEmbeddingsCases, { create: () => embedding(() => ({})) });
});

describe("a collection of an InMemoryVectorStore", () => {
  const create = () => new InMemoryVectorStore({ dimensions: 2 }).collection("inner");
  checkConformance(it, vectorStoreCases, { create });
  checkConformance(it, vectorCollectionCases, { create });
});

describe("the suites of vector stores", () => {
  checkWrongSubjects(it, vectorStoreCases, { ...wrongVectorDocuments, ...wrongVectorSearches });
  checkWrongSubjects(it, vectorCollectionCases, wrongVectorCollections);
  checkWrongSubjects(it, vectorEmbeddingsCases, wrongVectorEmbeddings);
});

describe("FakeEmbeddings", () => {
  checkConformance(it, embeddingProviderCases, { create: () => embeddingsBut(() => ({})) });
});

describe("the suite of embedding providers", () => {
  checkWrongSubjects(it, embeddingProviderCases, wrongEmbeddings);
});

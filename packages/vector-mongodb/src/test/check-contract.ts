import {
  checkConformance,
  FakeEmbeddings,
  vectorCollectionCases,
  vectorEmbeddingsCases,
  vectorListCases,
  vectorStoreCases,
  vectorTextCases,
  vectorWriteCases,
} from "@troupe/core/testing";
import { describe, it } from "vitest";
import type { MongoDbVectorStore } from "../mongodb-vector-store.ts";
import type { MongoDbVectorOptions } from "../mongodb-vector-options.ts";
import { newName } from "./stores.ts";

type Gaps = Partial<Record<keyof typeof vectorWriteCases, string>>;

type Part = [title: string, partOf: (store: MongoDbVectorStore) => ReturnType<MongoDbVectorStore["collection"]>];

const parts: Part[] = [
  ["as a whole", (store) => store],
  ["in a collection", (store) => store.collection("inner")],
];
const newCollection: Part = ["in a new collection", (store) => store.collection(newName())];

/** Options of `checkContract`: the cases that are known to fail, and whether all stores share their documents. */
export type ContractOptions = { knownGaps?: Gaps; isShared?: boolean };

/** Declares the tests of all vector store suites, for a whole store and for one of its collections. */
export function checkContract(
  create: (options: MongoDbVectorOptions) => MongoDbVectorStore,
  { knownGaps = {}, isShared = false }: ContractOptions = {},
): void {
  describe.each(isShared ? [newCollection] : parts)("%s", (_part, partOf) => {
    const opened = new Map<object, MongoDbVectorStore>();
    const open = (options: MongoDbVectorOptions) => {
      const store = create(options);
      const part = partOf(store);
      opened.set(part, store);
      return part;
    };
    const dispose = async (part: object) => await opened.get(part)?.close();
    const subject = { create: () => open({ dimensions: 2 }), dispose };
    checkConformance(it, vectorStoreCases, subject);
    checkConformance(it, vectorCollectionCases, subject);
    checkConformance(it, vectorWriteCases, { ...subject, knownGaps });
    checkConformance(it, vectorListCases, subject);
    checkConformance(it, vectorTextCases, subject as never);
    checkConformance(it, vectorEmbeddingsCases, {
      create: () => {
        const embeddings = new FakeEmbeddings();
        return { store: open({ embeddings }), embed: async (text: string) => await embeddings.embed(text) };
      },
      dispose: async ({ store }) => await dispose(store),
    });
  });
}

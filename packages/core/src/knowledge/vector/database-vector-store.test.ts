import { expect, it } from "vitest";
import { DatabaseVectorStore } from "./database-vector-store.ts";
import type { VectorWrite, VectorDatabase } from "./vector-database.ts";

it("DatabaseVectorStore gives a database no id to remove that the same change stores, and each id once [vector.write]", async () => {
  const changes: VectorWrite[] = [];
  const database: VectorDatabase = {
    write: async (_collection, change) => void changes.push(change),
    search: async () => [],
    get: async () => null,
    list: async () => ({ documents: [] }),
    clear: async () => {},
    rememberModel: async (_collection, model) => model,
    close: async () => {},
  };
  const store = new DatabaseVectorStore({ name: "The test's vector store", open: async () => database });
  await store.write({ upsert: [{ id: "a", content: "", embedding: [1, 0] }], delete: ["a", "b", "b"] });

  expect(changes.map(({ documents, deletedIds }) => [documents.map(({ id }) => id), deletedIds])).toEqual([
    [["a"], ["b"]],
  ]);
});

import { SqliteVectorStore } from "../src/sqlite-vector-store.ts";

/** Stores and searches, twice each, and sends what it found. */
const [file = ""] = process.argv.slice(2);
const store = new SqliteVectorStore(file);
await store.upsert({ id: "a", content: "a", embedding: [1, 0] });
await store.upsert({ id: "b", content: "b", embedding: [0, 1] });
const found = await Promise.all([store.search([1, 0]), store.search([0, 1])]);
await store.close();
process.send?.({ ids: found.map((results) => results.map(({ document }) => document.id)) });

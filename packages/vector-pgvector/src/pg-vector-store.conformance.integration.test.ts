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
import pg from "pg";
import { afterAll, describe, it } from "vitest";
import { serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PgVectorStore } from "./index.ts";
import type { PgVectorOptions } from "./index.ts";

const newSchema = testSchemas();
const pool = new pg.Pool({ connectionString: serverUrl });
afterAll(async () => await pool.end());

const own = (options: PgVectorOptions = {}) =>
  new PgVectorStore(serverUrl, { dimensions: 2, schema: newSchema(), ...options });
const given = () => new PgVectorStore({ pool }, { dimensions: 2, schema: newSchema() });

// The store of a collection is closed with it: a view does not close its store.
const stores = new Map<object, PgVectorStore>();
const inside = (store: PgVectorStore) => {
  const view = store.collection("of a store");
  stores.set(view, store);
  return view;
};
const dispose = async (store: { close(): Promise<void> }) => await (stores.get(store) ?? store).close();

describe.skipIf(serverUrl === "").each([
  ["PgVectorStore on connections of its own", () => own()],
  ["PgVectorStore on a given pool", () => given()],
  ["PgVectorStore without an index", () => own({ exact: true })],
  ["a collection of a PgVectorStore", () => inside(own())],
])("%s [pgvector.store]", (_, create) => {
  checkConformance(it, vectorStoreCases, { create, dispose });
  checkConformance(it, vectorCollectionCases, { create, dispose });
  checkConformance(it, vectorWriteCases, { create, dispose });
  checkConformance(it, vectorListCases, { create, dispose });
  checkConformance(it, vectorTextCases, { create, dispose } as never);
});

describe.skipIf(serverUrl === "")("PgVectorStore with embeddings", () => {
  const embeddings = new FakeEmbeddings();
  const embed = async (text: string) => await embeddings.embed(text);
  checkConformance(it, vectorEmbeddingsCases, {
    create: () => ({ store: new PgVectorStore(serverUrl, { embeddings, schema: newSchema() }), embed }),
    dispose: async ({ store }) => await store.close(),
  });
});

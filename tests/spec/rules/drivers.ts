import { rulesOf } from "../rule.ts";

/** Storage drivers and vector stores that need a server or a file. */
export const driverRules = [
  ...rulesOf("@troupe/storage-sqlite", {
    "sqlite.driver": {
      text: "an embedded SQL driver takes a file path",
      test: "packages/storage-sqlite/src/sqlite-storage.conformance.test.ts",
    },
  }),
  ...rulesOf("@troupe/storage-postgres", {
    "postgres.driver": {
      text: "a relational driver takes a connection string",
      test: "packages/storage-postgres/src/postgres-storage.conformance.integration.test.ts",
    },
  }),
  ...rulesOf("@troupe/storage-mongodb", {
    "mongodb.driver": {
      text: "a document driver takes a uri, and perhaps a database and a collection name",
      test: "packages/storage-mongodb/src/mongo-storage.conformance.integration.test.ts",
    },
  }),
  ...rulesOf("@troupe/vector-pgvector", { "pgvector.store": "a relational vector store exists" }),
  ...rulesOf("@troupe/vector-qdrant", { "qdrant.store": "a dedicated vector-database store exists" }),
  ...rulesOf("@troupe/vector-mongodb", { "mongodb.vector-store": "a document-database vector store exists" }),
];

import { rulesOf } from "../rule.ts";

/** Storage drivers and vector stores that need a server or a file. */
export const driverRules = [
  ...rulesOf("@troupe/storage-sqlite", { "sqlite.driver": "an embedded SQL driver takes a file path" }),
  ...rulesOf("@troupe/storage-postgres", { "postgres.driver": "a relational driver takes a connection string" }),
  ...rulesOf("@troupe/storage-mongodb", {
    "mongodb.driver": "a document driver takes a uri, and perhaps a database and a collection name",
  }),
  ...rulesOf("@troupe/vector-pgvector", { "pgvector.store": "a relational vector store exists" }),
  ...rulesOf("@troupe/vector-qdrant", { "qdrant.store": "a dedicated vector-database store exists" }),
  ...rulesOf("@troupe/vector-mongodb", { "mongodb.vector-store": "a document-database vector store exists" }),
];

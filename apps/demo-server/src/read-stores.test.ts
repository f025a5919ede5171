import { describe, expect, it } from "vitest";
import { readStores } from "./read-stores.ts";

describe("readStores", () => {
  it("leaves everything in the file when no server is named", () => {
    expect(readStores({ DATABASE_URL: "", REDIS_URL: " " })).toEqual({});
  });

  it("stores sessions and vectors where DATABASE_URL or MONGODB_URL says, and vectors in Qdrant if it is named", () => {
    const [url, mongodb] = ["postgresql://ada:secret@db:5432/demo?sslmode=require", "mongodb://u:p@a:1,b:2/x?w=1"];

    expect(readStores({ DATABASE_URL: url })).toEqual({
      storage: { kind: "postgres", address: { url, shown: "postgresql://db:5432/demo" } },
      vectors: { kind: "pgvector", address: { url, shown: "postgresql://db:5432/demo" } },
      engine: { kind: "postgres", address: { url, shown: "postgresql://db:5432/demo" } },
    });
    expect(readStores({ MONGODB_URL: mongodb })).toMatchObject({
      storage: { kind: "mongodb", address: { url: mongodb, shown: "mongodb://a:1,b:2/x" } },
      vectors: { kind: "mongodb" },
    });
    expect(readStores({ DATABASE_URL: url, QDRANT_URL: "http://q:6333", QDRANT_API_KEY: "key" })).toMatchObject({
      storage: { kind: "postgres" },
      vectors: { kind: "qdrant", address: { shown: "http://q:6333" } },
      qdrantKey: "key",
    });
  });

  it("shares the runs over PostgreSQL, else over Redis, whatever the storage, and not without them", () => {
    const [REDIS_URL, DATABASE_URL] = ["redis://cache:6379", "postgres://db/demo"];

    expect(readStores({ REDIS_URL }).engine).toMatchObject({ kind: "redis", address: { url: REDIS_URL } });
    expect(readStores({ REDIS_URL, MONGODB_URL: "mongodb://a" }).engine).toMatchObject({ kind: "redis" });
    expect(readStores({ REDIS_URL, DATABASE_URL }).engine).toMatchObject({ kind: "postgres" });
    expect(readStores({ MONGODB_URL: "mongodb://a" }).engine).toBeUndefined();
  });

  it("shows no password, even one with an @ and a slash in it", () => {
    const { redis } = readStores({ REDIS_URL: "redis://ada:se/c@ret@cache:6379/0" });

    expect(redis).toMatchObject({ shown: "redis://cache:6379/0" });
  });

  it.each<[variables: Record<string, string>, sentence: string]>([
    [
      { DATABASE_URL: "mysql://ada:secret@db/demo" },
      "DATABASE_URL begins with mysql://, for which the demo has no adapter. Expected postgres:// or postgresql://",
    ],
    [{ MONGODB_URL: "secret@localhost" }, "MONGODB_URL is no URL. Expected mongodb:// or mongodb+srv://"],
    [{ QDRANT_URL: "grpc://localhost" }, "QDRANT_URL begins with grpc://"],
    [{ QDRANT_URL: "http://ada:secret@local host:6333" }, "QDRANT_URL is no URL. Expected http:// or https://"],
    [{ REDIS_URL: "http://localhost" }, "REDIS_URL begins with http://"],
    [{ DATABASE_URL: "postgres://a", MONGODB_URL: "mongodb://b" }, "DATABASE_URL and MONGODB_URL are both set."],
  ])("refuses %j with a sentence that shows no secret", (variables, sentence) => {
    const read = () => readStores(variables);

    expect(read).toThrow(sentence);
    expect(read).not.toThrow("secret");
  });
});

import { clusteredVectors, measureRecall } from "@troupe-internal/fault-tools";
import { createLogger } from "@troupe/core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { RecordingPool } from "../test/recording-pool.ts";
import { serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PgVectorStore } from "./index.ts";
import type { PgVectorOptions } from "./index.ts";

const newSchema = testSchemas();

/** Opens a store whose statements are recorded. */
function open(options: PgVectorOptions) {
  const pool = new RecordingPool();
  const store = new PgVectorStore({ pool }, options);
  onTestFinished(async () => await store.close());
  return { store, pool };
}

/** Stores clustered vectors, 60 % of them with `most`, in 60 % of the clusters or as many of each cluster. */
async function fill(schema: string, size: { count: number; dimensions: number; queries: number }) {
  const sample = clusteredVectors(size);
  const documents = sample.documents.map((document, index) => {
    const [mostClusters, mostOfEach] = [document.metadata.cluster % 5 < 3, Math.floor(index / 7) % 5 < 3];
    return { ...document, metadata: { ...document.metadata, mostClusters, mostOfEach } };
  });
  const store = new PgVectorStore(serverUrl, { schema, statementTimeoutMs: 600_000 });
  await store.write({ upsert: documents });
  await store.close();
  return { ...sample, documents };
}

describe.skipIf(serverUrl === "")("PgVectorStore with 10,000 clustered vectors", () => {
  const schema = newSchema();
  let sample: Awaited<ReturnType<typeof fill>>;
  beforeAll(async () => {
    if (serverUrl !== "") sample = await fill(schema, { count: 10_000, dimensions: 128, queries: 50 });
  }, 600_000);

  it.each([
    ["without a filter", {}, 10, "hnsw"],
    ["with a filter that keeps 60 % of each cluster", { mostOfEach: true }, 10, "hnsw"],
    ["with a filter that keeps 60 % of the clusters", { mostClusters: true }, 10, "hnsw"],
    ["with topK 200", {}, 200, "hnsw"],
    ["with a filter that keeps 1 % within one cluster", { cluster: 7 }, 10, "Bitmap"],
    ["with a filter that keeps 1 % across all clusters", { part: 7 }, 10, "Bitmap"],
    ["with a filter that keeps fewer than topK", { part: 7, cluster: 7 }, 10, "Bitmap"],
  ])("finds 95 % of the nearest %s, by the index for it [pgvector.recall]", async (...[, filter, topK, index]) => {
    const { store, pool } = open({ schema });
    const recall = await measureRecall(store, sample, { filter, topK });

    expect(recall).toBeGreaterThanOrEqual(0.95);
    const plan = await pool.explainLast();
    expect(plan).toContain(index === "hnsw" ? "_embedding_idx" : "Bitmap Index Scan");
    expect(plan).not.toContain("Seq Scan on t");
  });
});

describe.skipIf(serverUrl === "")("PgVectorStore with long vectors", () => {
  it("indexes vectors of 3,072 numbers, and ranks by their full precision [pgvector.dimensions]", async () => {
    const schema = newSchema();
    const sample = await fill(schema, { count: 1100, dimensions: 3072, queries: 20 });
    const { store, pool } = open({ schema });

    const recall = await measureRecall(store, sample);
    expect(recall).toBeGreaterThanOrEqual(0.95);
    expect(await pool.explainLast()).toContain("_embedding_idx");
    const [first, ...others] = sample.documents;
    expect((await store.get("d0"))?.embedding).toEqual(first?.embedding);
    // Numbers around 0.5 are the same in 16 bits up to a distance of 0.00012.
    const led = (by: number, rest: readonly number[] = []) => [by, ...rest.slice(1).map((value) => value / 2)];
    const upsert = [0, 1, 2].map((n) => ({
      id: `p${n}`,
      content: "",
      embedding: led(0.5 + n * 4e-5, first?.embedding),
    }));
    await store.write({ upsert });
    const near = others.find(({ metadata }) => metadata.cluster === first?.metadata.cluster);
    const found = await store.search(led(0.5, near?.embedding), { topK: 3 });
    expect(found.map(({ document }) => document.id)).toEqual(["p2", "p1", "p0"]);
  });

  it("compares every vector of more than 4,000 numbers, and says so once [pgvector.dimensions]", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "warn", write: (line) => void lines.push(line) });
    const store = new PgVectorStore(serverUrl, { schema: newSchema(), logger });
    onTestFinished(async () => await store.close());
    const { documents, queries } = clusteredVectors({ count: 50, dimensions: 5000, queries: 3 });
    await store.write({ upsert: documents });
    await store.collection("other").write({ upsert: documents });

    expect(await measureRecall(store, { documents, queries })).toBe(1);
    expect(lines).toEqual([expect.stringContaining("indexes vectors of at most 4000 dimensions, and these have 5000")]);
  });

  it("refuses vectors of more than 16,000 numbers [pgvector.dimensions]", async () => {
    const store = new PgVectorStore(serverUrl, { schema: newSchema() });
    onTestFinished(async () => await store.close());
    const stored = store.upsert({ id: "a", content: "", embedding: Array.from({ length: 16_001 }, () => 1) });

    await expect(stored).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringContaining("must have at most 16000 numbers"),
    });
    expect(await store.get("a")).toBeNull();
  });
});

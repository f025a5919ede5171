import { clusteredVectors, measureRecall, seededRandom } from "@troupe-internal/fault-tools";
import { InMemoryVectorStore } from "@troupe/core";
import type { VectorSearchResult } from "@troupe/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { RecordingPool } from "../test/recording-pool.ts";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PgVectorStore } from "./index.ts";
import type { PgVectorOptions } from "./index.ts";

const newSchema = testSchemas();

function open(options: PgVectorOptions = {}) {
  const pool = new RecordingPool();
  const store = new PgVectorStore({ pool }, { schema: newSchema(), ...options });
  onTestFinished(async () => await store.close());
  return { store, pool };
}

const idsOf = (found: readonly VectorSearchResult[]): string[] => found.map(({ document }) => document.id);

/** Documents around a circle. */
const around = (count: number, metadata: (index: number) => Record<string, unknown> = () => ({})) =>
  Array.from({ length: count }, (_, index) => {
    const angle = (2 * Math.PI * index) / count;
    const embedding = [Math.cos(angle), Math.sin(angle)];
    return { id: `d${index}`, content: `text ${index}`, embedding, metadata: metadata(index) };
  });

/** Metadata, or a part of it, of few names and values, so that many of them are equal or nearly so. */
function randomJson(random: () => number, depth: number): unknown {
  const scalars = [null, true, false, 0, 1, 1.5, 1e21, -7e-9, "", "a", "b", "1", "a.b"];
  const choice = depth === 0 ? 1 : random();
  if (choice > 0.5) return scalars[Math.floor(random() * scalars.length)];
  const length = Math.floor(random() * 3);
  if (choice > 0.35) return Array.from({ length }, () => randomJson(random, depth - 1));
  return randomRecord(random, depth);
}

function randomRecord(random: () => number, depth: number): Record<string, unknown> {
  const names = ["a", "b", "a.b", "a.b.a", "", "0", "__proto__", "."];
  const entries = Array.from({ length: Math.floor(random() * 4) }, () => {
    return [names[Math.floor(random() * names.length)], randomJson(random, depth - 1)] as const;
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

describe.skipIf(serverUrl === "")("PgVectorStore's search", () => {
  it("finds by any filter what the in-memory store finds", async () => {
    const random = seededRandom(5);
    const documents = around(400, () => randomRecord(random, 3));
    const [{ store }, model] = [open(), new InMemoryVectorStore()];
    await store.write({ upsert: documents });
    await model.write({ upsert: documents });
    let matched = 0;
    for (let round = 0; round < 400; round++) {
      const { metadata } = documents[Math.floor(random() * documents.length)] ?? { metadata: {} };
      const parts = Object.entries(metadata).filter(() => random() < 0.7);
      const deeper = parts.flatMap(([name, value]) =>
        typeof value === "object" && value !== null && random() < 0.7
          ? Object.entries(value).map(([inner, part]) => [`${name}.${inner}`, part] as const)
          : [[name, value] as const],
      );
      const filter = round % 2 === 0 ? Object.fromEntries(deeper) : randomRecord(random, 3);
      const options = { filter, topK: 400 };
      const expected = await model.search([1, 0.3], options);
      matched += expected.length > 0 && expected.length < 400 ? 1 : 0;
      expect(new Set(idsOf(await store.search([1, 0.3], options))), JSON.stringify(filter)).toEqual(
        new Set(idsOf(expected)),
      );
    }
    expect(matched).toBeGreaterThan(100);
  });

  it("takes a filter of 1,000 names, refuses a longer one, and goes on", async () => {
    const pool = new RecordingPool({ max: 1 });
    const schema = newSchema();
    const store = new PgVectorStore({ pool }, { schema });
    onTestFinished(async () => await store.close());
    const metadata = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`n.${index}`, [index]]));
    const { "n.1000": last, ...filter } = metadata;
    await store.upsert({ id: "a", content: "", embedding: [1, 0], metadata });

    expect(idsOf(await store.search([1, 0], { filter }))).toEqual(["a"]);
    for (const tooLong of [store.search([1, 0], { filter: metadata }), store.write({ deleteWhere: metadata })]) {
      await expect(tooLong).rejects.toMatchObject({
        code: "invalid_value",
        message: "filter must have at most 1000 names, or PostgreSQL cannot plan it, got 1001.",
      });
    }
    await store.upsert({ id: "b", content: "", embedding: [1, 0], metadata: { last } });
    // With the only connection of the pool, which is in no transaction that was left open.
    const left = `select from pg_stat_activity where state like 'idle in transaction%' and query like '%${schema}%'`;
    expect(await ask(left)).toEqual([]);
    expect(await store.search([1, 0])).toHaveLength(2);
  });

  it("compares all matching documents while they are few, with ties by id [pgvector.few]", async () => {
    const { store, pool } = open();
    const upsert = Array.from({ length: 990 }, (_, index) => ({ id: `d${index}`, content: "", embedding: [1, 1] }));
    await store.write({ upsert: upsert.slice(500) });
    await store.write({ upsert: upsert.slice(0, 500).toReversed() });

    expect(idsOf(await store.search([1, 0], { topK: 5 }))).toEqual(["d0", "d1", "d10", "d100", "d101"]);
    expect(await pool.explainLast()).not.toContain("_embedding_idx");
  });

  it("returns topK documents of thousands with the same vector [pgvector.recall]", async () => {
    const { store } = open();
    const upsert = Array.from({ length: 2500 }, (_, index) => ({ id: `d${index}`, content: "", embedding: [1, 1] }));
    await store.write({ upsert });

    expect(new Set(idsOf(await store.search([1, 0], { topK: 900 }))).size).toBe(900);
  });

  it("finds topK of what is left after most was removed [pgvector.recall]", async () => {
    const { store } = open();
    const { documents, queries } = clusteredVectors({ count: 6000, dimensions: 32, queries: 20 });
    const marked = documents.map((document, index) => {
      return { ...document, metadata: { ...document.metadata, kept: index % 4 === 0 } };
    });
    await store.write({ upsert: marked });
    await store.write({ deleteWhere: { kept: false } });
    const left = { documents: marked.filter(({ metadata }) => metadata.kept), queries };

    expect(await measureRecall(store, left, { topK: 50 })).toBeGreaterThanOrEqual(0.95);
  });

  it("finds documents that match a filter only far away from the wanted vector [pgvector.recall]", async () => {
    const { store } = open();
    await store.write({ upsert: around(6000, (index) => ({ far: index >= 2000 && index < 4000 })) });
    const found = await store.search([1, 0], { topK: 100, filter: { far: true } });

    expect(found).toHaveLength(100);
    // The nearest 100 are 50 at each end of the far part.
    const last = Math.cos((2 * Math.PI * 2050) / 6000);
    expect(found.filter(({ score }) => score >= last - 1e-6).length).toBeGreaterThanOrEqual(95);
  });

  it("leaves the settings of the connection as they were [pgvector.transaction]", async () => {
    const pool = new RecordingPool({ max: 1 });
    const store = new PgVectorStore({ pool }, { schema: newSchema() });
    await store.write({ upsert: around(3) });
    const settingsOf = async () => {
      const client = await pool.connect();
      const text = "select name, setting from pg_settings where name ~ '^(hnsw|enable_|jit)' order by name";
      const { rows } = await client.query({ text, values: [] });
      client.release();
      return rows;
    };
    const before = await settingsOf();
    await store.search([1, 0]);
    await store.write({ upsert: around(3) });

    expect(await settingsOf()).toEqual(before);
    expect(before.length).toBeGreaterThan(10);
    const settings = pool.sent.filter(({ text }) => /\bset\b/.test(text) && !/on conflict/.test(text));
    expect(settings.length).toBeGreaterThan(2);
    for (const { text } of settings) expect(text).toMatch(/^(begin[\w ]*; set local |update |insert )/);
    await store.close();
  });
});

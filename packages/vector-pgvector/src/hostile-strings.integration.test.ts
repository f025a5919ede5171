import { checkHostileStrings, checkTenants, hostileStrings } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { RecordingPool } from "../test/recording-pool.ts";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PgVectorStore } from "./index.ts";

const newSchema = testSchemas();

function open(schema = newSchema()) {
  const pool = new RecordingPool();
  const store = new PgVectorStore({ pool }, { schema });
  onTestFinished(async () => await store.close());
  return { store, pool, schema };
}

describe.skipIf(serverUrl === "")("PgVectorStore with hostile strings", () => {
  it("touches exactly the document of each of 5,000 [pgvector.data]", async () => {
    const { store } = open();

    await expect(checkHostileStrings(store)).resolves.toBeUndefined();
  });

  it("keeps tenants apart", async () => {
    await expect(checkTenants(open().store)).resolves.toBeUndefined();
  });

  it("puts no data into the text of a statement [pgvector.data]", async () => {
    const { store, pool } = open();
    const mark = "Zq7'\"$1;--";
    const metadata = { [mark]: mark, deep: { [mark]: [mark, { [mark]: mark }] }, number: 918_273 };
    const collection = store.collection(mark);
    await collection.rememberModel(mark);
    await collection.write({
      upsert: [{ id: mark, content: mark, embedding: [918_273, 1], metadata }],
      delete: [mark],
    });
    for (const filter of [metadata, { [`deep.${mark}`]: metadata.deep[mark] }]) {
      expect(await collection.search([918_273, 1], { filter, topK: 7 })).toHaveLength(1);
      await collection.write({ deleteWhere: { ...filter, other: mark } });
    }
    expect((await collection.get(mark))?.content).toBe(mark);
    await collection.clear();

    const texts = pool.sent.map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(15);
    expect(texts.filter((text) => /zq7|918273|limit 7/i.test(text))).toEqual([]);
  });

  it("sends the same statements for any strings [pgvector.data]", async () => {
    const statementsFor = async (seed: number): Promise<Set<string>> => {
      const { store, pool, schema } = open();
      for (const text of hostileStrings(40, seed).filter((each) => !each.includes(".") && !each.startsWith("$"))) {
        await store.upsert({ id: text, content: text, embedding: [1, 2], metadata: { [text]: text } });
        await store.search([1, 0], { filter: { [text]: text } });
        await store.delete(text);
      }
      return new Set(pool.sent.map(({ text }) => text.replaceAll(schema, "schema")));
    };

    expect(await statementsFor(2)).toEqual(await statementsFor(1));
  });

  it("keeps the documents of a collection with a hostile name in a table of its own [pgvector.store]", async () => {
    const { store, schema } = open();
    const names = ['"; drop table x; --', "x".repeat(1024), "😀".repeat(256)];
    for (const [index, name] of names.entries()) {
      const inner = store.collection(name).collection(name);
      await inner.upsert({ id: "a", content: String(index), embedding: [1, 0] });
    }

    for (const [index, name] of names.entries()) {
      expect((await store.collection(name).collection(name).get("a"))?.content).toBe(String(index));
    }
    const tables = await ask(`select tablename from pg_tables where schemaname = '${schema}' order by 1`);
    expect(tables.map(({ tablename }) => String(tablename))).toEqual([
      "troupe_vectors",
      ...names.map(() => expect.stringMatching(/^troupe_vectors_[\da-f]{32}$/)),
    ]);
    const kept = await ask(`select collection, dimensions from ${schema}.troupe_vectors`);
    const paths = names.map((name) => `${encodeURIComponent(name)}/${encodeURIComponent(name)}`);
    expect(new Set(kept.map(({ collection }) => collection))).toEqual(new Set(paths));
  });
});

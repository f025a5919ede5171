import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const newSchema = testSchemas();

/** A storage in use, and a function that counts the statements of some work. */
async function open() {
  const pool = new pg.Pool({ connectionString: serverUrl });
  let statements = 0;
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    Object.assign(client, { query: (...given: unknown[]) => ((statements += 1), query(...given)) });
  });
  const storage = new PostgresStorage({ pool }, { schema: newSchema() });
  onTestFinished(async () => {
    await storage.close();
    await pool.end();
  });
  await storage.set("ns", "old", 1);
  const countOf = async (work: () => Promise<unknown>): Promise<number> => {
    statements = 0;
    await work();
    return statements;
  };
  return { storage, countOf };
}

const records = (count: number, value: string) =>
  Array.from({ length: count }, (_, index) => ({ namespace: "ns", key: `k${index}`, value }));

describe.skipIf(serverUrl === "")("PostgresStorage", () => {
  it("inserts any number of records with one statement", async () => {
    const { storage, countOf } = await open();

    expect(await countOf(async () => await storage.insertAll(records(1000, "a")))).toBe(1);
  });

  it("makes any number of listings with one statement", async () => {
    const { storage, countOf } = await open();
    const listings = records(500, "a").map(({ namespace, key }) => ({ namespace, prefix: key, limit: 10 }));

    expect(await countOf(async () => await storage.listMany(listings))).toBe(1);
  });

  it("stores any number of records in a transaction with one statement", async () => {
    const { storage, countOf } = await open();

    expect(await countOf(async () => await storage.transaction(records(1000, "a")))).toBe(1);
  });

  it("inserts records of 40 MB with several statements", async () => {
    const { storage, countOf } = await open();
    const large = records(4, "x".repeat(10_000_000));

    expect(await countOf(async () => expect(await storage.insertAll(large)).toEqual([true, true, true, true]))).toBe(4);
    expect(await storage.insertAll(large)).toEqual([false, false, false, false]);
  });

  it("stores all or none of records of 40 MB", async () => {
    const { storage } = await open();
    const large = records(4, "x".repeat(10_000_000));
    await storage.transaction(large);

    expect((await storage.list("ns", "k")).map(({ value }) => value)).toEqual(large.map(({ value }) => value));
  });
});

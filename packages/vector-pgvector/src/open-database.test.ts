import { EventEmitter } from "node:events";
import { createLogger } from "@troupe/core";
import { readOptions } from "@troupe/core/kit";
import { describe, expect, it } from "vitest";
import { openDatabase } from "./open-database.ts";
import { pgVectorOptionTable, poolOptionTable } from "./pg-vector-options.ts";

const settings = {
  acquireTimeoutMs: 1000,
  statementTimeoutMs: 1000,
  schema: "s",
  table: "t",
  efSearch: 100,
  exact: false,
  languages: ["english"],
  logger: createLogger(),
};

const found = { extension: '"ext"', version: "0.8.1", schema: true, table: true, encoding: "UTF8" };

/** A pool whose server is the test: the first answers, one after the other, and none afterwards. */
class ScriptedPool extends EventEmitter {
  readonly sent: { text: string; values: unknown[] }[] = [];
  readonly released: unknown[] = [];
  readonly #answers: (object[] | Error)[];

  constructor(...answers: (object[] | Error)[]) {
    super();
    this.#answers = answers;
  }

  async connect() {
    const query = async ({ text, values }: { text: string; values: unknown[] }) => {
      this.sent.push({ text, values });
      const rows = this.#answers.shift() ?? [];
      if (rows instanceof Error) throw rows;
      return await Promise.resolve({ rows: rows as Record<string, unknown>[] });
    };
    const release = (end?: boolean): void => void this.released.push(end);
    return await Promise.resolve(Object.assign(new EventEmitter(), { query, release }));
  }
}

describe("openDatabase", () => {
  it("writes vectors as pgvector reads them, into the schema of the extension, and reads 32-bit floats", async () => {
    const pool = new ScriptedPool([found], [], [{ dimensions: 2 }]);
    const database = await openDatabase({ pool }, settings);
    const document = { id: "a", content: "", vector: Float32Array.of(0.5, 0.1), length: 0.51 };
    await database.write("c", { documents: [document], deletedIds: [], deletedWhere: undefined });
    const insert = pool.sent.find(({ text }) => text.startsWith("insert"));

    expect(pool.sent[0]?.values).toEqual(["s", "t"]);
    expect(insert?.text).toContain('$4::"ext".vector[]');
    expect(insert?.values[3]).toEqual([`[0.5,${Math.fround(0.1)}]`]);
    const other = new ScriptedPool([found], [{}], [{ id: "a", content: "", metadata: null, embedding: "[0.5,0.1]" }]);
    expect(await (await openDatabase({ pool: other }, settings)).get("c", "a")).toEqual({
      id: "a",
      content: "",
      embedding: [0.5, Math.fround(0.1)],
    });
    await database.close();
    expect(pool.listenerCount("error")).toBe(0);
  });

  it.each<[string, object[] | Error, object, boolean]>([
    [
      "a database in another encoding",
      [{ ...found, encoding: "LATIN1" }],
      {
        code: "storage_unavailable",
        message: "The database must be encoded in UTF8, got LATIN1. Use another database.",
      },
      false,
    ],
    [
      "a server that is shutting down",
      Object.assign(new Error("bye"), { code: "57P01", severity: "FATAL" }),
      { code: "storage_unavailable", message: "PostgreSQL is shutting down or starting up (57P01)." },
      true,
    ],
    [
      "a lost connection",
      new Error("Connection terminated"),
      {
        code: "storage_unavailable",
        message: "PostgreSQL did not answer, or the connection was lost. The operation may have been executed.",
      },
      true,
    ],
  ])("leaves the pool without a listener after %s", async (...[, answer, failure, isEnded]) => {
    const pool = new ScriptedPool(answer);

    await expect(openDatabase({ pool }, settings)).rejects.toMatchObject(failure);
    expect([pool.listenerCount("error"), pool.released]).toEqual([0, [isEnded]]);
  });
});

describe("the options of PgVectorStore", () => {
  it("have these defaults, with a pool all but max", () => {
    const usual = {
      embeddings: undefined,
      dimensions: undefined,
      acquireTimeoutMs: 5000,
      statementTimeoutMs: 30_000,
      schema: "public",
      table: "troupe_vectors",
      efSearch: undefined,
      exact: false,
      languages: ["english"],
      logger: undefined,
    };

    expect(readOptions(pgVectorOptionTable, {}, { owner: "PgVectorStore" })).toEqual({ ...usual, max: 10 });
    expect(readOptions(poolOptionTable, {}, { owner: "PgVectorStore" })).toEqual(usual);
  });

  const name = "at most 29 lower-case letters, digits and underscores that do not begin with a digit or pg_";

  it.each([
    ["max", [1, 1000], [0, 0.5], "a positive integer"],
    ["acquireTimeoutMs", [1, 3_600_000], [0, 3_600_001], "an integer from 1 to 3600000"],
    ["statementTimeoutMs", [1, 3_600_000], [0, 3_600_001], "an integer from 1 to 3600000"],
    ["efSearch", [10, 1000], [9, 1001], "an integer from 10 to 1000"],
    ["dimensions", [1, 16_000], [0, 16_001], "an integer from 1 to 16000"],
    ["schema", ["a", "_", "p", "a".repeat(29)], ["", "pg_x", "1a", "A", "a-b", "a".repeat(30), "a\n"], name],
    ["table", ["a1", "_1", "pgx"], ["pg_", "é", 'a"'], name],
    ["exact", [true, false], ["yes", 0], "true or false"],
  ])("take as %s %j, and not %j", (...[option, taken, refused, expected]) => {
    const read = (value: unknown) =>
      readOptions(pgVectorOptionTable, { [option]: value }, { owner: "PgVectorStore" }) as Record<string, unknown>;

    for (const value of taken) expect(read(value)[option]).toBe(value);
    for (const value of refused) expect(() => read(value)).toThrow(`${option} must be ${expected}, got `);
  });
});

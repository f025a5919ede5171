import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { PgVectorStore } from "./index.ts";
import type { PgVectorOptions, PgVectorPool } from "./index.ts";

const url = "postgres://ann:s3cret@localhost/app";

/** A pool that counts attempts to connect, and refuses them. */
class CountingPool extends EventEmitter implements PgVectorPool {
  connects = 0;

  connect(): Promise<never> {
    this.connects += 1;
    return Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  }
}

describe("PgVectorStore's arguments", () => {
  it.each([
    [{ max: 0 }, "max must be a positive integer"],
    [{ acquireTimeoutMs: 0 }, "acquireTimeoutMs must be an integer from 1 to 3600000"],
    [{ statementTimeoutMs: Infinity }, "statementTimeoutMs must be"],
    [{ schema: 'x"; drop table y; --' }, "schema must be at most 29"],
    [{ table: "x".repeat(30) }, "table must be at most 29"],
    [{ efSearch: 1001 }, "efSearch must be an integer from 10 to 1000"],
    [{ exact: true, efSearch: 50 }, "efSearch has no effect on exact searches"],
    [{ dimensions: 16_001 }, "dimensions must be an integer from 1 to 16000"],
    [{ tabel: "records" }, 'Unknown option "tabel" of PgVectorStore'],
  ])("are refused when the options are %j [pgvector.options]", (options, problem) => {
    expect(() => new PgVectorStore(url, options as PgVectorOptions)).toThrow(problem);
  });

  it("are refused when an option has no effect on a given pool [pgvector.options]", () => {
    expect(() => new PgVectorStore({ pool: new CountingPool() }, { max: 5 })).toThrow(
      'Unknown option "max" of PgVectorStore with a pool',
    );
  });

  it.each(["mysql://ann:s3cret@localhost", undefined, {}, { pool: {} }])(
    "are refused when the connection is %j, and none of it is quoted",
    (connection) => {
      const create = () => new PgVectorStore(connection as string);

      expect(create).toThrow(/connection (?:string )?must be/);
      expect(create).not.toThrow("s3cret");
    },
  );
});

describe("PgVectorStore before its first call", () => {
  it("has no connection, and can be closed", async () => {
    const pool = new CountingPool();
    const store = new PgVectorStore({ pool });
    await store.close();

    expect(pool.connects).toBe(0);
    await expect(store.get("a")).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("refuses documents that cannot be stored without connecting", async () => {
    const pool = new CountingPool();
    const store = new PgVectorStore({ pool }, { dimensions: 2 });

    await expect(store.upsert({ id: "a", content: "", embedding: [1] })).rejects.toMatchObject({
      code: "invalid_value",
    });
    expect(pool.connects).toBe(0);
  });

  it("connects again after a failure, and leaves no listener on the pool", async () => {
    const pool = new CountingPool();
    const store = new PgVectorStore({ pool });

    await expect(store.initialize()).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(store.initialize()).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(pool.connects).toBe(2);
    expect(pool.listenerCount("error")).toBe(0);
  });
});

import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { PostgresStorage } from "./index.ts";
import type { PostgresOptions, PostgresPool } from "./index.ts";

const url = "postgres://ann:s3cret@localhost/app";

/** A pool that counts attempts to connect, and refuses them. */
class CountingPool extends EventEmitter implements PostgresPool {
  connects = 0;

  connect(): Promise<never> {
    this.connects += 1;
    return Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  }
}

describe("PostgresStorage's arguments", () => {
  it.each([
    [{ max: 0 }, "max must be a positive integer"],
    [{ acquireTimeoutMs: 0 }, "acquireTimeoutMs must be an integer from 1 to 3600000"],
    [{ acquireTimeoutMs: 3_600_001 }, "acquireTimeoutMs must be"],
    [{ statementTimeoutMs: Infinity }, "statementTimeoutMs must be"],
    [{ schema: 'x"; drop table y; --' }, "schema must be at most 48"],
    [{ table: "" }, "table must be at most 48"],
    [{ tabel: "records" }, 'Unknown option "tabel" of PostgresStorage'],
    [null, "The options of PostgresStorage must be an object"],
  ])("are refused when the options are %j", (options, problem) => {
    expect(() => new PostgresStorage(url, options as PostgresOptions)).toThrow(problem);
  });

  it("are refused when an option has no effect on a given pool", () => {
    expect(() => new PostgresStorage({ pool: new CountingPool() }, { max: 5 })).toThrow(
      'Unknown option "max" of PostgresStorage with a pool',
    );
  });

  it.each([undefined, null, 5, {}, { pool: {} }])("are refused when the connection is %j", (connection) => {
    expect(() => new PostgresStorage(connection as unknown as string)).toThrow(
      "connection must be a connection string, or { pool } with a Pool of pg",
    );
  });
});

describe("PostgresStorage before its first call", () => {
  it("has no connection, and can be closed", async () => {
    const pool = new CountingPool();
    const storage = new PostgresStorage({ pool });
    await storage.close();

    expect(pool.connects).toBe(0);
    await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(pool.connects).toBe(0);
  });

  it("refuses values that cannot be stored without connecting", async () => {
    const pool = new CountingPool();
    const storage = new PostgresStorage({ pool });

    await expect(storage.set("ns", "k", NaN)).rejects.toMatchObject({ code: "invalid_value" });
    await expect(storage.append("ns", "s/", null)).rejects.toMatchObject({ code: "invalid_value" });
    expect(pool.connects).toBe(0);
  });

  it("connects again after a failure, and leaves no listener on the pool", async () => {
    const pool = new CountingPool();
    const storage = new PostgresStorage({ pool });

    await expect(storage.ping()).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(storage.ping()).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(pool.connects).toBe(2);
    expect(pool.listenerCount("error")).toBe(0);
  });
});

import { EventEmitter } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FakeClient, FakePool } from "./test/fake-pool.ts";
import { createClient, endClient } from "./create-client.ts";
import { createPool } from "./create-pool.ts";
import { openConnections, readSource } from "./open-connections.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import { readConnectionString } from "./read-connection-string.ts";

const settings = { acquireTimeoutMs: 500, statementTimeoutMs: 700 };
const address = readConnectionString("postgres://ann:s3cret@db.example:6543/app?sslmode=no-verify");

afterEach(() => void vi.unstubAllEnvs());

describe("readSource", () => {
  it("parses a string, and takes the pool of an object", () => {
    const pool = new FakePool();

    expect(readSource("postgres://ann:s3cret@db.example:6543/app?sslmode=no-verify")).toEqual({ address });
    expect(readSource({ pool })).toEqual({ pool });
  });

  it.each([undefined, null, 5, {}, { pool: null }, { pool: { connect: () => {} } }, { pool: { on: () => {} } }])(
    "refuses %j",
    (connection) => {
      expect(() => readSource(connection as unknown as string)).toThrow(
        /^connection must be a connection string, or \{ pool \} with a Pool of pg, got /,
      );
    },
  );
});

describe("openConnections", () => {
  it("listens for errors of a given pool until the end, and leaves the pool open", async () => {
    const pool = new FakePool(new FakeClient());
    const own = vi.fn<() => void>();
    pool.on("error", own);
    const { pool: opened, end } = await openConnections({ pool }, settings);

    expect([opened, pool.connects, pool.listenerCount("error")]).toEqual([pool, 0, 2]);
    await end();
    await end();
    expect([pool.ends, pool.listeners("error")]).toEqual([0, [own]]);
  });

  it("ends a pool of its own, which may hang for two seconds or fail", async () => {
    const { pool, end } = await openConnections({ address }, settings);
    pool.on("error", () => {});
    const ending = vi.spyOn(pool as unknown as FakePool, "end");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    ending.mockReturnValueOnce(new Promise(() => {}));
    const ended = vi.fn<() => void>();
    void end().then(ended);
    await vi.advanceTimersByTimeAsync(1999);
    expect(ended.mock.calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended.mock.calls).toHaveLength(1);
    vi.useRealTimers();
    ending.mockRejectedValueOnce(new Error("Called end on pool more than once"));

    expect(await end()).toBeUndefined();
    await end();
  });
});

describe("createPool", () => {
  it("has every setting of the address and the limits, whatever the environment says", async () => {
    for (const name of ["PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGOPTIONS", "PGAPPNAME"])
      vi.stubEnv(name, "1");
    const pool = await createPool(address, { ...settings, max: 3 });
    const { Client: _, password, ...options } = pool.options as unknown as Record<string, unknown>;

    expect(options).toMatchObject({
      host: "db.example",
      port: 6543,
      user: "ann",
      database: "app",
      ssl: { rejectUnauthorized: false },
      sslnegotiation: "postgres",
      client_encoding: "UTF8",
      application_name: address.applicationName,
      enableChannelBinding: address.channelBinding,
      max: 3,
      allowExitOnIdle: true,
      connectionTimeoutMillis: 1500,
      statement_timeout: 700,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    expect((password as () => string)()).toBe("s3cret");
    await pool.end();
  });

  it("makes clients that take no options and no replication from the environment", async () => {
    vi.stubEnv("PGOPTIONS", "-c search_path=evil");
    vi.stubEnv("PGREPLICATION", "database");
    const pool = await createPool(address, settings);
    const client = createClient(pool) as unknown as { connectionParameters: Record<string, unknown> };

    expect(client.connectionParameters).toMatchObject({
      host: "db.example",
      options: undefined,
      replication: undefined,
    });
    await pool.end();
  });
});

describe("createClient", () => {
  it("makes a client of the pool's class with the pool's options", () => {
    class Client extends EventEmitter {
      readonly given: unknown;
      constructor(given: unknown) {
        super();
        this.given = given;
      }
    }
    const options = { host: "h" };
    const client = createClient(Object.assign(new FakePool(), { Client, options }));

    expect(client).toBeInstanceOf(Client);
    expect((client as unknown as Client).given).toBe(options);
  });

  it.each([
    {},
    { Client: EventEmitter },
    { options: {} },
    { Client: "pg", options: {} },
    { Client: EventEmitter, options: 1 },
  ])("makes none for a pool with %o", (parts) => {
    expect(createClient(Object.assign(new FakePool(), parts) as PostgresPool)).toBeUndefined();
  });
});

describe("endClient", () => {
  it.each([
    [true, []],
    [false, ["destroy"]],
  ])("ends a client, connected: %j, and cuts off one that is not", (isConnected, cut) => {
    const called: string[] = [];
    const connection = { stream: { destroy: () => called.push("destroy") } };
    const end = async () => {
      called.push("end");
      return await Promise.reject<void>(new Error("It was not connected."));
    };
    const client = Object.assign(new EventEmitter(), { connection, end });

    endClient(client as unknown as NonNullable<ReturnType<typeof createClient>>, { isConnected });
    expect(called).toEqual(["end", ...cut]);
  });

  it("ends a client that does not show its connection", () => {
    const end = vi.fn<() => Promise<void>>().mockResolvedValue();

    endClient({ end } as unknown as NonNullable<ReturnType<typeof createClient>>, { isConnected: false });
    expect(end).toHaveBeenCalledTimes(1);
  });
});

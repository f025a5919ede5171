import { sleep } from "@troupe/core/adapter";
import type * as BullMq from "bullmq";
import type { PgPool } from "bullmq";
import type { ClientBase, Pool, PoolConfig } from "pg";
import type { Backend } from "./backend.ts";
import type { EngineSettings } from "./bullmq-options.ts";

/** The pause before BullMQ hears of a failed statement: without one it asks a database that is down again at once, for ever. */
const failurePauseMs = 250;

/**
 * Connects BullMQ with PostgreSQL, and brings its tables up to date. BullMQ's statements name no schema, so that their
 * connections need a `search_path` of their own: a given pool is only asked for its settings.
 */
export async function openPostgres(
  settings: EngineSettings,
  library: typeof BullMq,
  onError: (error: unknown) => void,
): Promise<Backend> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool(poolConfig(settings, library.DEFAULT_SCHEMA));
  pool.on("error", onError);
  try {
    await migrate(pool, library);
  } catch (error) {
    // The caller need not wait for that.
    void pool.end();
    throw error;
  }
  const connection = withPauses(pool);
  const factory = library.createPostgresBackend;
  return {
    makeQueue: (name) => new library.Queue(name, { connection }, factory) as unknown as BullMq.Queue,
    makeWorker: (name, process, given) =>
      new library.Worker(name, process, { ...given, connection }, factory) as unknown as BullMq.Worker,
    databaseTime: async () => {
      const { rows } = await pool.query<{ now: string }>("select extract(epoch from clock_timestamp()) * 1000 as now");
      return Number(rows[0]?.now);
    },
    end: () => pool.end(),
  };
}

function poolConfig({ pool, connectionString, max }: EngineSettings, schema: string): PoolConfig {
  const given = (pool?.options ?? { connectionString }) as PoolConfig;
  // The pool waits for the promise that such a function returns, which its type does not say.
  const before: ((client: ClientBase) => unknown) | undefined = given.onConnect;
  const onConnect: (client: ClientBase) => unknown = async (client) => {
    await before?.(client);
    await client.query(`set search_path to ${schema}`);
  };
  return {
    ...given,
    // `pg` hides it from enumeration.
    ...(given.password !== undefined && { password: given.password }),
    max,
    min: 0,
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    query_timeout: 30_000,
    onConnect,
  };
}

/** Creates or updates BullMQ's tables. A role that may not do that can use tables that are up to date. */
async function migrate(pool: Pool, library: typeof BullMq): Promise<void> {
  const client = await pool.connect();
  try {
    const version = await library.assertSchemaCompatibility(client).catch((error: unknown) => {
      if (error instanceof library.SchemaMigrationRequiredError) return 0;
      throw error;
    });
    // BullMQ takes a lock first, so that of several processes one does it.
    if (version < library.LATEST_SCHEMA_VERSION) await library.runMigrations(client);
  } finally {
    client.release();
  }
}

/** Makes a pool for BullMQ out of ours, whose end it does not decide. */
function withPauses(pool: Pool): PgPool {
  const pausing = async <Result>(work: Promise<Result>): Promise<Result> =>
    await work.catch(async (error: unknown) => {
      if (!isFromCommand(error)) await sleep(failurePauseMs);
      throw error;
    });
  const wrapped = {
    options: { keepAlive: true },
    query: (text: string, values?: unknown[]) => pausing(pool.query(text, values)),
    connect: () => pausing(pool.connect()),
    end: async () => {},
    on: () => wrapped,
    removeAllListeners: () => wrapped,
  };
  return wrapped as unknown as PgPool;
}

/** Tells if one of BullMQ's functions refused, for example because a lock was lost. */
function isFromCommand(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "BM001";
}

import { TroupeError } from "@troupe/core";
import { sleep } from "@troupe/core/kit";
import type * as BullMq from "bullmq";
import type { PgPool } from "bullmq";
import type { Client, ClientBase, Pool, PoolConfig } from "pg";
import type { Backend } from "./backend.ts";
import type { EngineSettings } from "./bullmq-options.ts";

/**
 * Milliseconds to wait before a failed statement is reported to BullMQ, which would otherwise retry at once, forever.
 */
const failurePauseMs = 250;
const epochMs = "extract(epoch from clock_timestamp()) * 1000";
// Only values of the field `stalled-check` are compared with a time, because the values of BullMQ's other fields are
// not numbers.
const clearFutureChecks = `
  delete from meta
  where queue = any($1) and case when field = 'stalled-check' then value::bigint > ${epochMs} + $2 end`;

/**
 * Connects BullMQ to PostgreSQL and updates its tables. BullMQ's statements name no schema, so its connections need
 * their own `search_path`. If a pool is given, only its settings are used.
 */
export async function openPostgres(
  settings: EngineSettings,
  library: typeof BullMq,
  onError: (error: unknown) => void,
): Promise<Backend> {
  const { default: pg } = await import("pg");
  const config = poolConfig(settings);
  await checkSessions([new pg.Client(config), new pg.Client(config)], onError);
  const pool = new pg.Pool(withSearchPath(config, library.DEFAULT_SCHEMA));
  pool.on("error", onError);
  // The pool does not report errors of connections in use, and an unhandled error between two statements would end the
  // process.
  pool.on("connect", (client) => void client.on("error", onError));
  try {
    await migrate(pool, library);
  } catch (error) {
    // `pool.end()` is not awaited: the caller need not wait for the end of the pool.
    void pool.end();
    throw error;
  }
  const connection = withPauses(pool);
  let ended: Promise<void> | undefined;
  const factory = library.createPostgresBackend;
  return {
    makeQueue: (name) => new library.Queue(name, { connection }, factory) as unknown as BullMq.Queue,
    makeWorker: (name, process, given) =>
      new library.Worker(name, process, { ...given, connection }, factory) as unknown as BullMq.Worker,
    clock: {
      now: async () => {
        const { rows } = await pool.query<{ now: string }>(`select ${epochMs} as now`);
        return Number(rows[0]?.now);
      },
      clearFutureChecks: async (queues, toleranceMs) => {
        await pool.query(clearFutureChecks, [queues, toleranceMs]);
      },
    },
    end: () => (ended ??= pool.end()),
  };
}

function poolConfig({ pool, connectionString, max }: EngineSettings): PoolConfig {
  const given = (pool?.options ?? { connectionString }) as PoolConfig;
  return {
    ...given,
    // `pg` makes the password non-enumerable, so that a spread does not copy it.
    ...(given.password !== undefined && { password: given.password }),
    max,
    min: 0,
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    query_timeout: 30_000,
  };
}

function withSearchPath(config: PoolConfig, schema: string): PoolConfig {
  // The pool awaits the promise that this function returns, although its type does not say so.
  const before: ((client: ClientBase) => unknown) | undefined = config.onConnect;
  const onConnect: (client: ClientBase) => unknown = async (client) => {
    await before?.(client);
    // The `search_path` is not a startup parameter, because poolers reject those even in session mode.
    await client.query(`set search_path to ${schema}`);
  };
  return { ...config, onConnect };
}

/**
 * Rejects behind a pooler that assigns server connections per transaction, which shows if one client uses several
 * server connections, or two clients share one. There a `search_path` would affect other clients, and notifications
 * would be lost.
 */
async function checkSessions(clients: readonly [Client, Client], onError: (error: unknown) => void): Promise<void> {
  const [one, other] = clients;
  try {
    for (const client of clients) await client.on("error", onError).connect();
    const seen = new Map<Client, Set<number>>(clients.map((client) => [client, new Set()]));
    for (const client of [one, one, other, one, other]) seen.get(client)?.add(await processOf(client));
    const processes = [...seen.values()].flatMap((ofClient) => [...ofClient]);
    if (processes.length === 2 && new Set(processes).size === 2) return;
  } finally {
    // `client.end()` is not awaited: the caller need not wait for the end of the clients.
    for (const client of clients) void client.end().catch(onError);
  }
  throw new TroupeError(
    "invalid_config",
    "BullMqEngine does not work behind a pooler in transaction mode, such as PgBouncer with pool_mode = transaction. Give it the address of PostgreSQL itself, or of a pooler in session mode.",
  );
}

/** Returns the id of the server process behind a connection. */
async function processOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}

/** Creates or updates BullMQ's tables. A role without that right can use tables that are up to date. */
async function migrate(pool: Pool, library: typeof BullMq): Promise<void> {
  const client = await pool.connect();
  try {
    const version = await library.assertSchemaCompatibility(client).catch((error: unknown) => {
      if (error instanceof library.SchemaMigrationRequiredError) return 0;
      throw error;
    });
    // BullMQ takes a lock first, so that only one of several processes migrates.
    if (version < library.LATEST_SCHEMA_VERSION) await library.runMigrations(client);
  } finally {
    client.release();
  }
}

/** Wraps the engine's pool for BullMQ: a failed statement is reported after a pause, and BullMQ cannot end the pool. */
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

/** Returns true if one of BullMQ's own functions refused, for example because a lock was lost. */
function isFromCommand(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "BM001";
}

import { TroupeError } from "@troupe/core";
import { sleep, withTimeout } from "@troupe/core/kit";
import { isTransient, sqlStateOf, toConnectFailure, toPostgresFailure } from "./postgres-failure.ts";
import type { PostgresClient, PostgresPool } from "./postgres-pool.ts";

/** An SQL statement and its parameters. */
export type SqlStatement = { readonly sql: string; readonly parameters: readonly unknown[] };

/**
 * Runs a statement on a borrowed connection and returns its rows. For several statements without parameters, returns
 * the rows of the last statement.
 */
export type Query = <Row>(statement: SqlStatement) => Promise<readonly Row[]>;

/** The time limits of PostgreSQL connections, in milliseconds. */
export type ConnectionLimits = { readonly acquireTimeoutMs: number; readonly statementTimeoutMs: number };

const maxTries = 10;
const pauseMs = 10;

/**
 * Runs work in a transaction that the statement `beginning` begins, and commits it. The work receives the rows of that
 * statement. Rolls back if the work throws a `TroupeError`. After any other error, `Connections.use` ends the
 * connection instead.
 */
export async function inTransaction<Result>(
  query: Query,
  beginning: string,
  work: (rows: readonly Readonly<Record<string, unknown>>[]) => Promise<Result>,
): Promise<Result> {
  const rows = await query<Record<string, unknown>>({ sql: beginning, parameters: [] });
  let result: Result;
  try {
    result = await work(rows);
  } catch (error) {
    if (TroupeError.is(error)) await query({ sql: "rollback", parameters: [] });
    throw error;
  }
  await query({ sql: "commit", parameters: [] });
  return result;
}

/** Milliseconds added to the timeout of a statement, so that the server times out first: its error explains more. */
const extraTimeoutMs = 1000;

/**
 * Milliseconds after an answer for which a connection is used without a check, because a check costs half a statement.
 */
const freshMs = 1000;

/**
 * Borrows connections from a pool, one for each piece of work. Returns only connections in a known state to the pool,
 * and ends the others. Throws `storage_unavailable` if no connection is free within `acquireTimeoutMs`.
 */
export class Connections {
  readonly #pool: PostgresPool;
  readonly #acquireTimeoutMs: number;
  readonly #answerTimeoutMs: number;
  readonly #answeredAt = new WeakMap<PostgresClient, number>();

  constructor(pool: PostgresPool, { acquireTimeoutMs, statementTimeoutMs }: ConnectionLimits) {
    this.#pool = pool;
    this.#acquireTimeoutMs = acquireTimeoutMs;
    this.#answerTimeoutMs = statementTimeoutMs + extraTimeoutMs;
  }

  /**
   * Runs work with a connection. Ends the connection after a failed statement, or an error that is not a `TroupeError`,
   * because its state is unknown.
   */
  async use<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const client = await this.#acquire();
    let isClean = true;
    const query = async <Row>({ sql, parameters }: SqlStatement): Promise<readonly Row[]> => {
      isClean = false;
      // `query_timeout` is a documented option of a single query that the types of pg lack.
      const config = { text: sql, values: [...parameters], query_timeout: this.#answerTimeoutMs };
      const answer = await client.query(config);
      isClean = true;
      this.#answeredAt.set(client, performance.now());
      // For several statements without parameters, pg returns an array of answers.
      const last = Array.isArray(answer) ? answer.at(-1) : answer;
      return (last?.rows ?? []) as readonly Row[];
    };
    try {
      return await work(query);
    } catch (error) {
      isClean &&= TroupeError.is(error);
      throw error;
    } finally {
      giveBack(client, isClean);
    }
  }

  /**
   * Runs work with a connection. Makes up to ten tries if the database rolled the work back because of a concurrent
   * transaction, or if the work failed with one of the given SQLSTATE codes. Rejects with a `TroupeError`.
   */
  async useRepeatedly<Result>(work: (query: Query) => Promise<Result>, codes: readonly string[] = []): Promise<Result> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.use(work);
      } catch (error) {
        const isPassing = isTransient(error) || codes.includes(sqlStateOf(error) ?? "");
        if (!isPassing || tried === maxTries) throw toPostgresFailure(error);
      }
      // The pause is random, so that the conflicting transactions do not retry at the same time.
      await sleep(pauseMs * tried * Math.random());
    }
  }

  async #acquire(): Promise<PostgresClient> {
    const endsAt = performance.now() + this.#acquireTimeoutMs;
    for (;;) {
      const client = await this.#connect(Math.max(0, endsAt - performance.now()));
      const silentMs = performance.now() - (this.#answeredAt.get(client) ?? -Infinity);
      if (silentMs < freshMs || (await isAlive(client))) return client;
      giveBack(client, false);
    }
  }

  async #connect(timeoutMs: number): Promise<PostgresClient> {
    // A broken connection also fails its statement; without a listener its `error` event would crash the process.
    const connecting = this.#pool.connect().then((client) => {
      client.on("error", ignore);
      return client;
    });
    try {
      return await withTimeout(connecting, { timeoutMs, onTimeout: () => this.#failLate(connecting) });
    } catch (error) {
      throw toConnectFailure(error);
    }
  }

  /** Throws `storage_unavailable`. A connection that becomes available later is returned to the pool. */
  #failLate(connecting: Promise<PostgresClient>): never {
    connecting.then((client) => giveBack(client, true), ignore);
    const sentence = `No connection to PostgreSQL became available within ${this.#acquireTimeoutMs} ms. Raise acquireTimeoutMs or max.`;
    throw new TroupeError("storage_unavailable", sentence);
  }
}

/**
 * Returns true if a connection is still open. The end that the server has sent may still be unread in the socket; a
 * statement sent then would fail without showing if it was executed. Two turns of the event loop read the socket.
 */
async function isAlive(client: PostgresClient): Promise<boolean> {
  let alive = true;
  const lost = (): void => void (alive = false);
  client.on("error", lost);
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
  client.off("error", lost);
  return alive;
}

function giveBack(client: PostgresClient, isClean: boolean): void {
  // The pool listens for the errors of a released connection itself.
  client.release(!isClean);
  client.off("error", ignore);
}

function ignore(): void {}

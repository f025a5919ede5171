import { TroupeError } from "@troupe/core";
import { withTimeout } from "@troupe/core/adapter";
import type { SqlCall, SqlRow } from "@troupe-internal/sql-storage";
import { toConnectFailure } from "./postgres-failure.ts";
import type { PostgresSettings } from "./postgres-options.ts";
import type { PostgresClient, PostgresPool } from "./postgres-pool.ts";

/** Runs one statement on a borrowed connection and returns its rows. */
export type Query = <Row = SqlRow>(call: SqlCall) => Promise<readonly Row[]>;

/** Added to the timeout of a statement, so that the server, whose error says more, times out first. */
const extraTimeoutMs = 1000;

/** A connection that answered within this time is used without a check: the check costs half a statement. */
const freshMs = 1000;

/**
 * Borrows connections from a pool for the calls of a storage. Returns only those in a known state, and ends the others.
 * No connection within `acquireTimeoutMs` is `storage_unavailable`.
 */
export class Connections {
  readonly #pool: PostgresPool;
  readonly #acquireTimeoutMs: number;
  readonly #answerTimeoutMs: number;
  readonly #answeredAt = new WeakMap<PostgresClient, number>();

  constructor(
    pool: PostgresPool,
    { acquireTimeoutMs, statementTimeoutMs }: Pick<PostgresSettings, "acquireTimeoutMs" | "statementTimeoutMs">,
  ) {
    this.#pool = pool;
    this.#acquireTimeoutMs = acquireTimeoutMs;
    this.#answerTimeoutMs = statementTimeoutMs + extraTimeoutMs;
  }

  /** Works with a connection. After a failed statement its state is unknown, and it is ended. */
  async use<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const client = await this.#acquire();
    let isClean = true;
    const query = async <Row>({ sql, parameters }: SqlCall): Promise<readonly Row[]> => {
      isClean = false;
      // A documented option of a single query that the types of pg do not have.
      const config = { text: sql, values: [...parameters], query_timeout: this.#answerTimeoutMs };
      const { rows } = await client.query(config);
      isClean = true;
      this.#answeredAt.set(client, performance.now());
      return rows as readonly Row[];
    };
    try {
      return await work(query);
    } finally {
      giveBack(client, isClean);
    }
  }

  async #acquire(): Promise<PostgresClient> {
    const deadline = performance.now() + this.#acquireTimeoutMs;
    for (;;) {
      const client = await this.#connect(Math.max(0, deadline - performance.now()));
      const silentMs = performance.now() - (this.#answeredAt.get(client) ?? -Infinity);
      if (silentMs < freshMs || (await isAlive(client))) return client;
      giveBack(client, false);
    }
  }

  async #connect(timeoutMs: number): Promise<PostgresClient> {
    // A broken connection also fails its statement; without a listener the event would end the process.
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

  /** Returns a connection that comes too late to the pool. */
  #failLate(connecting: Promise<PostgresClient>): never {
    connecting.then((client) => giveBack(client, true), ignore);
    const sentence = `No connection to PostgreSQL became available within ${this.#acquireTimeoutMs} ms. Raise acquireTimeoutMs or max.`;
    throw new TroupeError("storage_unavailable", sentence);
  }
}

/**
 * Tells if a connection is still open. The end of the connection may be unread in its socket; a statement sent then would
 * fail without telling if it was executed. Two turns of the event loop read the socket.
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
  // From here on the pool listens itself.
  client.release(!isClean);
  client.off("error", ignore);
}

function ignore(): void {}

import { TroupeError } from "@troupe/core";
import { withTimeout } from "@troupe/core/adapter";
import type { SqlCall, SqlRow } from "@troupe-internal/sql-storage";
import { toConnectFailure } from "./postgres-failure.ts";
import type { PostgresSettings } from "./postgres-options.ts";
import type { PostgresClient, PostgresPool } from "./postgres-pool.ts";

/** Runs one statement and gives its rows. */
export type Query = <Row = SqlRow>(call: SqlCall) => Promise<readonly Row[]>;

/** How much longer than the server we wait for the end of a statement: its own word on it is the better one. */
const graceMs = 1000;

/** A connection that answered so short a time ago is taken to stand; to look costs as much as half a statement. */
const freshMs = 1000;

/** Lends the connections of a pool, each only while it is sound. */
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
    this.#answerTimeoutMs = statementTimeoutMs + graceMs;
  }

  /** Lends a connection for some work. One on which a statement failed is ended: nobody knows what state it is in. */
  async use<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const client = await this.#acquire();
    let isSound = true;
    const query = async <Row>({ sql, parameters }: SqlCall): Promise<readonly Row[]> => {
      isSound = false;
      // The library heeds this option of a single statement, but its types do not know it.
      const config = { text: sql, values: [...parameters], query_timeout: this.#answerTimeoutMs };
      const { rows } = await client.query(config);
      isSound = true;
      this.#answeredAt.set(client, performance.now());
      return rows as readonly Row[];
    };
    try {
      return await work(query);
    } finally {
      giveBack(client, isSound);
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
    // Whatever breaks a connection while it is lent fails its statement, too; it is said here as well.
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

  /** What comes too late goes back where it came from. */
  #failLate(connecting: Promise<PostgresClient>): never {
    connecting.then((client) => giveBack(client, true), ignore);
    const sentence = `No connection to PostgreSQL was free, or could be made, within ${this.#acquireTimeoutMs} ms.`;
    throw new TroupeError("storage_unavailable", sentence);
  }
}

/**
 * Says whether a connection still stands. That the server has ended it may lie unread in its socket, and a statement sent
 * then would be lost without a word on whether it was done. Two rounds of the event loop read what there is.
 */
async function isAlive(client: PostgresClient): Promise<boolean> {
  let alive = true;
  const lost = (): void => void (alive = false);
  client.on("error", lost);
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
  client.off("error", lost);
  return alive;
}

function giveBack(client: PostgresClient, isSound: boolean): void {
  // The pool listens again from here on.
  client.release(!isSound);
  client.off("error", ignore);
}

function ignore(): void {}

import { TroupeError } from "@troupe/core";
import { sleep } from "@troupe/core/adapter";
import type { Appended, AppendRequest, SqlConnection, SqlSteps, Statements } from "@troupe-internal/sql-storage";
import { appendSteps } from "./append-steps.ts";
import type { AppendStatements } from "./append-steps.ts";
import type { Connections, Query } from "./connections.ts";
import { isPassing, toPostgresFailure } from "./postgres-failure.ts";

const maxTries = 10;
const pauseMs = 10;

/** What a connected storage works with. */
export type PostgresParts = {
  statements: Statements & AppendStatements;
  connections: Connections;
  /** Lets go of the pool. */
  end: () => Promise<void>;
};

/** Runs the steps of a storage on the connections of a pool. */
export class PostgresConnection implements SqlConnection {
  readonly statements: Statements & AppendStatements;
  readonly #parts: PostgresParts;

  constructor(parts: PostgresParts) {
    this.statements = parts.statements;
    this.#parts = parts;
  }

  async run<Result>(begin: () => SqlSteps<Result>): Promise<Result> {
    return await this.#withConnection(async (query) => await follow(begin(), query));
  }

  async transact<Result>(begin: () => SqlSteps<Result>): Promise<Result> {
    return await this.#withConnection(async (query) => await inTransaction(query, begin));
  }

  async append(request: AppendRequest): Promise<Appended> {
    return await this.run(() => appendSteps(this.statements, request));
  }

  async ping(): Promise<void> {
    await this.#withConnection(async (query) => await query(this.statements.read({ namespace: "ping", key: "ping" })));
  }

  async close(): Promise<void> {
    await this.#parts.end();
  }

  /** Does the work again when the database undid it because of somebody else's. */
  async #withConnection<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#parts.connections.use(work);
      } catch (error) {
        if (!isPassing(error) || tried === maxTries) throw toPostgresFailure(error);
      }
      // By chance, so that those who were in each other's way do not come back together.
      await sleep(pauseMs * tried * Math.random());
    }
  }
}

async function follow<Result>(steps: SqlSteps<Result>, query: Query): Promise<Result> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await query(step.value));
  return step.value;
}

async function inTransaction<Result>(query: Query, begin: () => SqlSteps<Result>): Promise<Result> {
  await query({ sql: "begin", parameters: [] });
  try {
    const result = await follow(begin(), query);
    await query({ sql: "commit", parameters: [] });
    return result;
  } catch (error) {
    // After a failed statement the connection is ended, and the transaction with it.
    if (TroupeError.is(error)) await query({ sql: "rollback", parameters: [] });
    throw error;
  }
}

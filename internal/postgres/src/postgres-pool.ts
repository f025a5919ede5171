/** The answer to a statement: the used members of `Result` of `pg`. */
type StatementAnswer = { rows: Record<string, unknown>[] };

/** A connection from a pool: the used members of `PoolClient` of `pg`. */
export type PostgresClient = {
  query(config: { text: string; values: unknown[] }): Promise<StatementAnswer | StatementAnswer[]>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool, or ends it if `end` is true. */
  release(end?: boolean): void;
};

/** A pool that callers may give to a package: the used members of `Pool` of `pg`. */
export type PostgresPool = {
  connect(): Promise<PostgresClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
};

/** The answer to a statement: the members of `Result` of `pg` that are used. */
type StatementAnswer = { rows: Record<string, unknown>[] };

/** A connection that a pool lends: the members of `PoolClient` of `pg` that are used. */
export type PostgresClient = {
  query(config: { text: string; values: unknown[] }): Promise<StatementAnswer | StatementAnswer[]>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool, or ends it. */
  release(end?: boolean): void;
};

/** A pool that callers may give to a package: the members of `Pool` of `pg` that are used. */
export type PostgresPool = {
  connect(): Promise<PostgresClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
};

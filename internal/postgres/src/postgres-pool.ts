/** A connection that a pool lends: the members of `PoolClient` of `pg` that are used. */
export type PostgresClient = {
  query(config: { text: string; values: unknown[] }): Promise<{ rows: Record<string, unknown>[] }>;
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

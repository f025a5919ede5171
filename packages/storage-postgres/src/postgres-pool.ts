/** A connection from a pool: the used members of `PoolClient` of `pg`. */
export type PostgresClient = {
  query(config: { text: string; values: unknown[] }): Promise<{ rows: Record<string, unknown>[] }>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool, or ends it if `end` is true. */
  release(end?: boolean): void;
};

/** A pool that callers may give to `PostgresStorage`: the used members of `Pool` of `pg`. */
export type PostgresPool = {
  connect(): Promise<PostgresClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
};

/** What is used of a connection of `pg`. */
export type PostgresClient = {
  query(config: { text: string; values: unknown[] }): Promise<{ rows: Record<string, unknown>[] }>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  /** Gives it back, or ends it. */
  release(end?: boolean): void;
};

/** What is used of a `Pool` of `pg`. */
export type PostgresPool = {
  connect(): Promise<PostgresClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
};

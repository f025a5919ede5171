import type { PostgresPool } from "./postgres-pool.ts";

/** A connection outside of any pool: the used members of `Client` of `pg`. */
export type PostgresConnection = {
  connect(): Promise<unknown>;
  /** `query_timeout`: milliseconds. A documented option of a single query that the types of pg lack. */
  query(config: { text: string; query_timeout: number }): Promise<unknown>;
  on(event: "notification", listener: (message: { channel: string; payload?: string }) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "end", listener: () => void): unknown;
  /** Allows the process to end while the connection is open. */
  unref(): void;
  end(): Promise<void>;
  /**
   * The protocol connection of pg's client: a member that its types lack, and that its client over libpq does not have.
   */
  readonly connection?: { readonly stream: { destroy(): unknown } };
};

/** The part of pg's pool that makes its connections. */
type PoolParts = { Client?: new (options: unknown) => PostgresConnection; options?: unknown };

/**
 * Makes a connection to the server of a pool, outside of the pool and without connecting. Returns `undefined` for a
 * replacement of pg's pool that does not reveal how it connects.
 */
export function createClient(pool: PostgresPool): PostgresConnection | undefined {
  const { Client, options } = pool as PoolParts;
  return typeof Client === "function" && typeof options === "object" ? new Client(options) : undefined;
}

/**
 * Ends a connection. Cuts off a connection that is not established yet, because a server that hangs would never answer
 * its end.
 */
export function endClient(client: PostgresConnection, { isConnected }: { isConnected: boolean }): void {
  void client.end().catch(() => {});
  if (!isConnected) client.connection?.stream.destroy();
}

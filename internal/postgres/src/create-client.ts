import type { PostgresPool } from "./postgres-pool.ts";

/** A connection that belongs to no pool: the members of `Client` of `pg` that are used. */
export type PostgresConnection = {
  connect(): Promise<unknown>;
  /** `query_timeout`: milliseconds. A documented option of a single query that the types of pg do not have. */
  query(config: { text: string; query_timeout: number }): Promise<unknown>;
  on(event: "notification", listener: (message: { channel: string; payload?: string }) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "end", listener: () => void): unknown;
  /** Lets the process end while the connection is open. */
  unref(): void;
  end(): Promise<void>;
  /** A member of pg's client that its types do not have, and its client over libpq does not have at all. */
  readonly connection?: { readonly stream: { destroy(): unknown } };
};

/** The part of pg's pool that makes its connections. */
type PoolParts = { Client?: new (options: unknown) => PostgresConnection; options?: unknown };

/**
 * Makes a connection to the server of a pool that takes no place in it, without connecting. Returns `undefined` for an
 * object that is used in place of pg's pool and does not say how it connects.
 */
export function createClient(pool: PostgresPool): PostgresConnection | undefined {
  const { Client, options } = pool as PoolParts;
  return typeof Client === "function" && typeof options === "object" ? new Client(options) : undefined;
}

/**
 * Ends a connection. One that is not established yet is cut off, since a server that hangs would never answer its end.
 */
export function endClient(client: PostgresConnection, { isConnected }: { isConnected: boolean }): void {
  void client.end().catch(() => {});
  if (!isConnected) client.connection?.stream.destroy();
}

import { anyBoolean, integer, loggerOption, optional, satisfying } from "@troupe/core/kit";
import { vectorStoreOptionTable } from "@troupe/core/vector";
import type { OptionTable } from "@troupe/core/kit";
import type { VectorStoreOptions } from "@troupe/core/vector";
import type { Logger } from "@troupe/core";

/** The most dimensions that a column of pgvector holds. */
const mostDimensions = 16_000;

/** Options of `PgVectorStore`: limits of its connections, the names of its tables, and how it searches. All have defaults. */
export type PgVectorOptions = VectorStoreOptions & {
  /** The most connections at the same time. A given pool has its own limit. @default 10 */
  max?: number | undefined;
  /** Milliseconds that a call waits for a connection, at most an hour. @default 5000 */
  acquireTimeoutMs?: number | undefined;
  /** Milliseconds that a statement may take, at most an hour. @default 30_000 */
  statementTimeoutMs?: number | undefined;
  /** The schema of the tables; created if it does not exist. @default "public" */
  schema?: string | undefined;
  /** The table that lists the collections, and the beginning of the names of their tables. @default "troupe_vectors" */
  table?: string | undefined;
  /**
   * The number of documents that a search through the index keeps in sight (`hnsw.ef_search`), from 10 to 1,000: more
   * finds more of the truly nearest ones, and takes longer. @default 100
   */
  efSearch?: number | undefined;
  /** Compares every vector in each search, and makes no index for new collections. @default false */
  exact?: boolean | undefined;
  /** Is told, at `warn`, of collections that no index can serve. @default one that writes warnings to the standard error stream */
  logger?: Logger | undefined;
};

/** The members of a `Pool` of `pg` that a `PgVectorStore` uses. */
export type PgVectorPool = {
  connect(): Promise<{
    query(config: { text: string; values: unknown[] }): Promise<{ rows: Record<string, unknown>[] }>;
    on(event: "error", listener: (error: Error) => void): unknown;
    off(event: "error", listener: (error: Error) => void): unknown;
    release(end?: boolean): void;
  }>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
};

/** Without a limit, a call or a shutdown could hang; 0 would mean that to the server. */
const timeout = integer(1, 3_600_000);

/** A name that needs no quotes, and leaves room for the 33 characters that tell collections apart. */
const nameOption = satisfying<string>(
  "at most 29 lower-case letters, digits and underscores that do not begin with a digit or pg_",
  (name) => typeof name === "string" && /^(?!pg_)[a-z_][a-z\d_]{0,28}$/.test(name),
);

/** The checks and defaults of the options of `PgVectorStore` when the caller gave a pool: without `max`. */
export const poolOptionTable = {
  ...vectorStoreOptionTable,
  dimensions: optional(integer(1, mostDimensions)),
  acquireTimeoutMs: optional(timeout, 5000),
  statementTimeoutMs: optional(timeout, 30_000),
  schema: optional(nameOption, "public"),
  table: optional(nameOption, "troupe_vectors"),
  efSearch: optional(integer(10, 1000)),
  exact: optional(anyBoolean, false),
  logger: optional(loggerOption),
} satisfies OptionTable<Omit<PgVectorOptions, "max">>;

/** The checks and defaults of the options of `PgVectorStore` when it has a pool of its own. */
export const pgVectorOptionTable = { max: optional(integer(1), 10), ...poolOptionTable };

/** The names of the tables of a store, and how it searches. */
export type VectorSettings = {
  readonly schema: string;
  readonly table: string;
  readonly efSearch: number;
  readonly exact: boolean;
  readonly logger: Logger;
};

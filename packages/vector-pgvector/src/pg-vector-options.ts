import { booleanOption, integerOption, loggerOption, optional, customOption } from "@troupe/core/kit";
import { vectorStoreOptionTable } from "@troupe/core/vector";
import type { OptionTable } from "@troupe/core/kit";
import type { VectorStoreOptions } from "@troupe/core/vector";
import type { Logger } from "@troupe/core";

/** Largest number of dimensions of a pgvector column. */
const mostDimensions = 16_000;

/**
 * Options of `PgVectorStore`: limits of its connections, the names of its tables, and how it searches. All have
 * defaults.
 */
export type PgVectorOptions = VectorStoreOptions & {
  /** Largest number of connections. A given pool has its own limit. @default 10 */
  max?: number | undefined;
  /** Milliseconds that a call waits for a connection, at most an hour. @default 5000 */
  acquireTimeoutMs?: number | undefined;
  /** Milliseconds that a statement may take, at most an hour. @default 30_000 */
  statementTimeoutMs?: number | undefined;
  /** The schema of the tables; created if it does not exist. @default "public" */
  schema?: string | undefined;
  /** The table that lists the collections, and the prefix of the names of their tables. @default "troupe_vectors" */
  table?: string | undefined;
  /**
   * Number of candidates that an index search keeps (`hnsw.ef_search`), from 10 to 1,000. A larger number finds more of
   * the truly nearest documents, but takes longer. @default 100
   */
  efSearch?: number | undefined;
  /** Compares every vector in each search, and creates no index for new collections. @default false */
  exact?: boolean | undefined;
  /**
   * The languages of the documents, as PostgreSQL names its text search configurations: `english`, `german`, or
   * `simple` for words without changes. They apply to new collections. @default ["english"]
   */
  languages?: readonly string[] | undefined;
  /** Receives warnings about collections that cannot be indexed. @default writes warnings to standard error */
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

/** Timeouts are limited, because a call or a shutdown could otherwise hang. 0 would mean "no limit" to the server. */
const timeout = integerOption(1, 3_600_000);

/** A name that needs no quotes, and leaves room for the 33 characters that distinguish collections. */
const nameOption = customOption<string>(
  "at most 29 lower-case letters, digits and underscores that do not begin with a digit or pg_",
  (name) => typeof name === "string" && /^(?!pg_)[a-z_][a-z\d_]{0,28}$/.test(name),
);

/** The checks and defaults of the options of `PgVectorStore` with a given pool: without `max`. */
export const poolOptionTable = {
  ...vectorStoreOptionTable,
  dimensions: optional(integerOption(1, mostDimensions)),
  acquireTimeoutMs: optional(timeout, 5000),
  statementTimeoutMs: optional(timeout, 30_000),
  schema: optional(nameOption, "public"),
  table: optional(nameOption, "troupe_vectors"),
  efSearch: optional(integerOption(10, 1000)),
  exact: optional(booleanOption, false),
  languages: optional(
    customOption<readonly string[]>(
      "an array of one to four different names of lower-case letters, such as english",
      (value) =>
        Array.isArray(value) &&
        value.length >= 1 &&
        value.length <= 4 &&
        new Set(value).size === value.length &&
        value.every((name) => typeof name === "string" && /^[a-z]{1,12}$/.test(name)),
    ),
    ["english"],
  ),
  logger: optional(loggerOption),
} satisfies OptionTable<Omit<PgVectorOptions, "max">>;

/** The checks and defaults of the options of `PgVectorStore` with its own pool. */
export const pgVectorOptionTable = { max: optional(integerOption(1), 10), ...poolOptionTable };

/** The table names of a store, and how it searches. */
export type VectorSettings = {
  readonly schema: string;
  readonly table: string;
  readonly efSearch: number;
  readonly exact: boolean;
  readonly languages: readonly string[];
  readonly logger: Logger;
};

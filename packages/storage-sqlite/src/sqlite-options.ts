import { millisecondsOption, oneOf, optional } from "@troupe/core/kit";
import type { OptionsOf, OptionTable } from "@troupe/core/kit";
import { tableNameOption } from "@troupe-internal/sql-storage";

/** Options of `SqliteStorage`: durability, time to wait, and the name of its table. All have defaults. */
export type SqliteOptions = {
  /**
   * The durability of a confirmed write: with `"normal"` it survives a killed process, with `"full"` also a loss of
   * power. @default "full"
   */
  durability?: "full" | "normal" | undefined;
  /**
   * Milliseconds that a call waits while another process writes, before it fails with `storage_unavailable`. @default
   * 5000
   */
  busyTimeoutMs?: number | undefined;
  /** The table of the records. @default "troupe_records" */
  table?: string | undefined;
};

/** The checks and defaults of the options of `SqliteStorage`. */
export const sqliteOptionTable = {
  durability: optional(oneOf("full", "normal"), "full"),
  busyTimeoutMs: optional(millisecondsOption, 5000),
  table: optional(tableNameOption, "troupe_records"),
} satisfies OptionTable<SqliteOptions>;

/** The checked options of `SqliteStorage`, with defaults. */
export type SqliteSettings = OptionsOf<typeof sqliteOptionTable>;

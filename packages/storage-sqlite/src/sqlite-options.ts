import { checkDuration, checkOptionNames, wrongOption } from "@troupe/core/adapter";
import { checkTableName } from "@troupe-internal/sql-storage";

/** How the file is used. */
export type SqliteOptions = {
  /**
   * What an answered write survives: `"full"` also that the machine loses power, `"normal"` only that the process is
   * killed. @default "full"
   */
  durability?: "full" | "normal";
  /** How long a call waits while another process writes. @default 5000 */
  busyTimeoutMs?: number;
  /** The table that holds the records. @default "troupe_records" */
  table?: string;
};

/** The options, checked and complete. */
export type SqliteSettings = Required<SqliteOptions>;

/** Checks the options and fills in what they leave open. A wrong or unknown one is `invalid_config`. */
export function readOptions(options: SqliteOptions): SqliteSettings {
  if (typeof options !== "object" || options === null) throw wrongOption("options", "an object", options);
  checkOptionNames(options, ["durability", "busyTimeoutMs", "table"], "SqliteStorage");
  const { durability = "full", busyTimeoutMs = 5000, table = "troupe_records" } = options;
  if (durability !== "full" && durability !== "normal")
    throw wrongOption("durability", '"full" or "normal"', durability);
  return {
    durability,
    busyTimeoutMs: checkDuration(busyTimeoutMs, "busyTimeoutMs"),
    table: checkTableName(table, "table"),
  };
}

import { TroupeError } from "@troupe/core";

/** Takes a name that needs no quotes in any database, that leaves room for an ending, and that no database keeps for itself. */
export function checkTableName(name: unknown, option: string): string {
  if (typeof name === "string" && /^(?!sqlite_|pg_)[a-z_][a-z\d_]{0,47}$/.test(name)) return name;
  throw new TroupeError(
    "invalid_config",
    `${option} must be a name of at most 48 lower-case letters, digits and underscores that does not begin with a digit, sqlite_ or pg_.`,
  );
}

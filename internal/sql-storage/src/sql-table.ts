import { satisfying } from "@troupe/core/adapter";

/** A table of records. Without a schema, the database uses its default one. */
export type SqlTable = { readonly name: string; readonly schema?: string };

/** Takes a name of a table or schema that needs no quotes in any database and leaves room for a suffix. */
export const tableName = satisfying<string>(
  "at most 48 lower-case letters, digits and underscores that do not begin with a digit, sqlite_ or pg_",
  (name) => typeof name === "string" && /^(?!sqlite_|pg_)[a-z_][a-z\d_]{0,47}$/.test(name),
);

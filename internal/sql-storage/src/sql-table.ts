import { customOption } from "@troupe/core/kit";

/**
 * The name of the table in which a storage stores its records. Without a schema, the database uses its default schema.
 */
export type SqlTable = { readonly name: string; readonly schema?: string };

/**
 * Checks an option that names a table or schema: the name must need no quotes in any database, and leave room for a
 * suffix. Any other name is `invalid_config`.
 */
export const tableNameOption = customOption<string>(
  "at most 48 lower-case letters, digits and underscores that do not begin with a digit, sqlite_ or pg_",
  (name) => typeof name === "string" && /^(?!sqlite_|pg_)[a-z_][a-z\d_]{0,47}$/.test(name),
);

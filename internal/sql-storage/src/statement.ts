import type { Compilable } from "kysely";
import type { SqlCall, SqlParameter } from "./sql-steps.ts";

/** A compiled statement: takes its parameters by name. */
export type Statement<Name extends string> = (values: Readonly<Record<Name, SqlParameter>>) => SqlCall;

/**
 * Compiles a query that was built with the names of its parameters in place of their values. Building and compiling is
 * most of what a query builder costs, so it is done once, and a call only puts its values in their places.
 */
export function toStatement<Name extends string>(query: Compilable): Statement<Name> {
  const { sql, parameters } = query.compile();
  const names = parameters as readonly Name[];
  return (values) => ({ sql, parameters: names.map((name) => values[name]) });
}

export { compileStatements } from "./compile-statements.ts";
export type { SqlCall, SqlRow, Statements } from "./compile-statements.ts";
export { nextNumbered } from "./numbered-keys.ts";
export { tableName } from "./sql-table.ts";

export { compileStatements } from "./compile-statements.ts";
export type { SqlCall, SqlRow, Statements } from "./compile-statements.ts";
export { nextAppendedKey } from "./numbered-keys.ts";
export { tableNameOption } from "./sql-table.ts";

export { checkEncoding, watchPath } from "./check-file.ts";
export { retryWhileBusy } from "./retry-while-busy.ts";
export { toSqliteFailure } from "./sqlite-failure.ts";

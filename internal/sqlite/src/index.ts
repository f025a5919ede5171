export { checkEncoding, watchPath } from "./check-file.ts";
export { createPrivateFile } from "./create-private-file.ts";
export { retryWhileBusy } from "./retry-while-busy.ts";
export { toSqliteFailure } from "./sqlite-failure.ts";

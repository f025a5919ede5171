export { check, unjudged } from "./check.ts";
export { dumpStorage, recordSse } from "./evidence.ts";
export type { Evidence, RecordedStream, StorageDump } from "./evidence.ts";
export { createNonce } from "./nonce.ts";
export type { Operation } from "./operation-log.ts";
export { ProcessProbe, riseSince, settled } from "./probe.ts";

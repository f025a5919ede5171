export { CanarySearch } from "./canary-search.ts";
export { check, invariants, unjudged } from "./check.ts";
export type { InvariantId, Violation } from "./check.ts";
export type {
  DeclaredResponses,
  Emitted,
  Evidence,
  Invariant,
  MemoryRecord,
  ProbedProcess,
  RecordedStream,
} from "./evidence.ts";
export { createNonce } from "./nonce.ts";
export type { Operation, SeenResponse } from "./operation-log.ts";
export { ProcessProbe, riseSince, settled } from "./probe.ts";
export type { Gauges, Probe } from "./probe.ts";
export { recordSse } from "./record-sse.ts";
export { dumpStorage } from "./storage-dump.ts";
export type { StorageDump } from "./storage-dump.ts";

export { CanarySearch } from "./checker/canary-search.ts";
export { check, invariants, unjudged } from "./checker/check.ts";
export type { InvariantId, Violation } from "./checker/check.ts";
export type {
  DeclaredResponses,
  Emitted,
  Evidence,
  Invariant,
  MemoryRecord,
  ProbedProcess,
  RecordedStream,
} from "./checker/evidence.ts";
export { createNonce } from "./checker/nonce.ts";
export { OperationLog } from "./checker/operation-log.ts";
export type { Operation, SeenResponse } from "./checker/operation-log.ts";
export { ProcessProbe, riseSince, settled } from "./checker/probe.ts";
export type { Gauges, Probe } from "./checker/probe.ts";
export { recordSse } from "./checker/record-sse.ts";
export { dumpStorage } from "./checker/storage-dump.ts";
export type { StorageDump } from "./checker/storage-dump.ts";
export { mountSmallDisk } from "./disk/small-disk.ts";
export type { SmallDisk } from "./disk/small-disk.ts";
export { createKillPoints, killPoints } from "./process/kill-points.ts";
export type { KillPoint, KillPointWrappers, ReachPoint } from "./process/kill-points.ts";
export { processState } from "./process/process-state.ts";
export { reportToParent } from "./process/report-to-parent.ts";
export { seededRandom } from "./process/seeded-random.ts";
export { JournalStorage } from "./process/journal-storage.ts";
export { TestChild } from "./process/test-child.ts";
export type { ChildExit, TestChildOptions } from "./process/test-child.ts";
export type { ConnectionEnd, ProxiedConnection, ProxyTarget } from "./proxy/proxied-connection.ts";
export type { FlowFaults, ProxyFaults } from "./proxy/proxy-faults.ts";
export { TcpProxy } from "./proxy/tcp-proxy.ts";
export type { TcpProxyOptions } from "./proxy/tcp-proxy.ts";
export { freePort } from "./servers/free-port.ts";
export { MongodbServer } from "./servers/mongodb-server.ts";
export type { MongodbServerOptions } from "./servers/mongodb-server.ts";
export { PostgresServer } from "./servers/postgres-server.ts";
export { checkStorageModel } from "./storage/check-storage-model.ts";
export type { StorageModelOptions } from "./storage/check-storage-model.ts";
export type { Delivery, Fault, Moment } from "./vendor/delivery.ts";
export type {
  DialectName,
  Refusal,
  Route,
  VendorFailure,
  VendorReply,
  VendorRequest,
  VendorTurn,
} from "./vendor/dialect.ts";
export type { Exchange } from "./vendor/exchange.ts";
export { FakeVendor } from "./vendor/fake-vendor.ts";
export type { FakeVendorOptions } from "./vendor/fake-vendor.ts";
export { badGateway } from "./vendor/planned-reply.ts";
export type { PlannedReply } from "./vendor/planned-reply.ts";
export { scenarioReply } from "./vendor/scenario-reply.ts";
export { readTranscript, transcriptNames } from "./vendor/transcripts.ts";

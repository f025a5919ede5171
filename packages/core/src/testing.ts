import { checkRuntime } from "./base/util/check-runtime.ts";

export { FakeEmbeddings } from "./testing/fake-embeddings.ts";
export { faultAtCall, faultyStorage } from "./testing/faulty-storage.ts";
export type { FaultPlan, FaultyStorage, StorageFault } from "./testing/faulty-storage.ts";
export { ScriptedModel } from "./testing/scripted-model.ts";
export type { ScriptedCall } from "./testing/scripted-model.ts";
export { scriptedChunks, scriptedUsage } from "./testing/scripted-answer.ts";
export type { ScriptedRequest, ScriptedAnswer } from "./testing/scripted-answer.ts";
export { checkConformance } from "./testing/conformance/check-conformance.ts";
export type { ConformanceCases } from "./testing/conformance/check-conformance.ts";
export { embeddingProviderCases } from "./testing/conformance/embedding-provider-cases.ts";
export type { EmbeddingProviderSubject } from "./testing/conformance/embedding-provider-cases.ts";
export { modelProviderCases } from "./testing/conformance/model-provider-cases.ts";
export { modelScenarios, configuredApiKey } from "./testing/conformance/model-scenarios.ts";
export type { ModelScenario, ModelScenarioName } from "./testing/conformance/model-scenarios.ts";
export type { ModelProviderSubject, VendorRequestOutcome } from "./testing/conformance/model-subject.ts";
export { runEngineCases } from "./testing/conformance/run-engine-cases.ts";
export { runServiceCases } from "./testing/conformance/run-service-cases.ts";
export type { RunServiceSubject } from "./testing/conformance/run-service-subject.ts";
export { runnableCases } from "./testing/conformance/runnable-cases.ts";
export type { RunnableSubject } from "./testing/conformance/runnable-subject.ts";
export { sessionTurnDeletionCases } from "./testing/conformance/session-turn-deletion-cases.ts";
export { sessionLargeDataCases } from "./testing/conformance/session-large-data-cases.ts";
export { sessionListCases } from "./testing/conformance/session-list-cases.ts";
export { sessionTitleCases } from "./testing/conformance/session-title-cases.ts";
export { storageAppendCases } from "./testing/conformance/storage-append-cases.ts";
export { storageCompareAndSetCases } from "./testing/conformance/storage-compare-and-set-cases.ts";
export { storageDriverCases, storagePingCases } from "./testing/conformance/storage-driver-cases.ts";
export { storageInsertAllCases } from "./testing/conformance/storage-insert-all-cases.ts";
export { storageListManyCases } from "./testing/conformance/storage-list-many-cases.ts";
export { storageListOptionsCases } from "./testing/conformance/storage-list-cases.ts";
export { storageTransactionCases } from "./testing/conformance/storage-transaction-cases.ts";
export { storageWatchCases } from "./testing/conformance/storage-watch-cases.ts";
export { toolSourceCases } from "./testing/conformance/tool-source-cases.ts";
export type { ToolSourceSubject } from "./testing/conformance/tool-source-cases.ts";
export { transportCases } from "./testing/conformance/transport-cases.ts";
export type {
  SentError,
  SentRunFields,
  TransportAnswer,
  TransportClient,
  TransportEvent,
  TransportHarness,
  TransportRun,
  TransportServed,
  TransportService,
} from "./testing/conformance/transport-subject.ts";
export {
  vectorCollectionCases,
  vectorEmbeddingsCases,
  vectorWriteCases,
} from "./testing/conformance/vector-optional-cases.ts";
export { vectorListCases } from "./testing/conformance/vector-list-cases.ts";
export { vectorTextCases } from "./testing/conformance/vector-text-cases.ts";
export { vectorStoreCases } from "./testing/conformance/vector-store-cases.ts";

// The writes of durable runs, for tests of storages and engines.
export { RunWriteRecorder } from "./testing/run-write-recorder.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();

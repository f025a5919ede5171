export { FakeEmbeddings } from "./testing/fake-embeddings.ts";
export { faultAt, faultyStorage } from "./testing/faulty-storage.ts";
export type { FaultPlan, FaultyStorage, StorageFault } from "./testing/faulty-storage.ts";
export { ScriptedModel } from "./testing/scripted-model.ts";
export type { ScriptedCall } from "./testing/scripted-model.ts";
export type { ScriptedRequest, ScriptedTurn } from "./testing/scripted-turn.ts";
export { checkConformance } from "./testing/conformance/check-conformance.ts";
export type { ConformanceCases, ConformanceSubject, DeclareTest } from "./testing/conformance/check-conformance.ts";
export { scriptedChunks, scriptedUsage } from "./testing/scripted-turn.ts";

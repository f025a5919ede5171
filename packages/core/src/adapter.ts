import { checkRuntime } from "./base/util/check-runtime.ts";

// Options: tables and ready checks.
export { readOptions, wrongOption } from "./base/errors/read-options.ts";
export type { OptionCheck, OptionsOf, OptionTable, OptionContext } from "./base/errors/read-options.ts";
export {
  anyBoolean,
  anyString,
  arrayOf,
  functionLike,
  integer,
  methods,
  milliseconds,
  nested,
  nonBlankString,
  oneOf,
  optional,
  satisfying,
  timeoutMilliseconds,
} from "./base/errors/option-checks.ts";
export {
  baseUrlOption,
  clientOption,
  embeddingProviderChecks,
  modelProviderChecks,
  readProviderOptions,
} from "./provider/provider-options.ts";
export type { OptionNames, SettingsOf } from "./provider/provider-options.ts";
export { networkOptions } from "./provider/network.ts";
export type { CallHeaders, NetworkOptions } from "./provider/network.ts";

// Errors.
export { abortedError } from "./base/errors/aborted-error.ts";
export { findErrorCode } from "./base/errors/find-error-code.ts";
export { isRetryable } from "./base/retry/is-retryable.ts";
export { readRetryAfter } from "./base/errors/read-retry-after.ts";
export { toPublicError } from "./base/errors/public-error.ts";
export type { PublicError } from "./base/errors/public-error.ts";
export { toModelError } from "./base/errors/to-model-error.ts";
export type { CallContext } from "./base/errors/to-model-error.ts";
export { toTroupeError } from "./base/errors/to-troupe-error.ts";
export { TruncatedResponseError, VendorError } from "./base/errors/vendor-error.ts";
export type { VendorErrorFacts } from "./base/errors/vendor-error.ts";

// API keys.
export { checkApiKey } from "./model/keys/api-keys.ts";
export { genericKeyHeader, keyHeaders, vendorKeyHeaders } from "./model/keys/key-headers.ts";
export { KeyedCache } from "./model/keys/keyed-cache.ts";
export { readEnvironment } from "./model/keys/read-environment.ts";
export { requireKey } from "./model/keys/resolve-key.ts";
export type { ApiKeySource, KeySources, ResolvedKey } from "./model/keys/resolve-key.ts";
export { readPayloadKeys } from "./model/keys/read-payload-keys.ts";
export type { PayloadKeys } from "./model/keys/read-payload-keys.ts";
export { readKeyHeaders } from "./model/keys/read-key-headers.ts";
export type { CarriedKeys, ReadKeysOptions, RequestHeaders } from "./model/keys/read-key-headers.ts";

// Model providers: requests, responses and their parts.
export type { AnswerChunk, ModelChunk, ModelFinish } from "./model/model-chunk.ts";
export type { Source, SourceChunk } from "./base/message/source.ts";
export type { ModelResponse } from "./model/model-response.ts";
export { collectResponse, ResponseCollector } from "./model/response-collector.ts";
export { generateAnswer, streamAnswer } from "./provider/stream-answer.ts";
export type { Connection, EventReader, OpenAnswer, StreamedCall, WholeCall } from "./provider/stream-answer.ts";
export { createOmissionReport, createRequestContext } from "./provider/request-context.ts";
export { nearestEffort } from "./provider/nearest-effort.ts";
export type { Omission } from "./model/omission.ts";
export type { ReportOmission, RequestContext } from "./provider/request-context.ts";
export { PartReader } from "./provider/part-reader.ts";
export { PrivateUrls } from "./provider/private-urls.ts";
export type { PrivateUrlCheck } from "./provider/private-urls.ts";
export { readContentData } from "./base/message/content-data.ts";
export type { ContentData } from "./base/message/content-data.ts";
export type { ToolSpec } from "./model/model-config.ts";
export { readCount, readObject, readObjects, readSource, readText, readUsage } from "./provider/vendor-json.ts";
export type { VendorCounts } from "./provider/vendor-json.ts";
export { withVendorFields } from "./provider/vendor-fields.ts";
export { vendorStateOf } from "./model/vendor-state.ts";
export type { ModelMessage, VendorState } from "./model/vendor-state.ts";
export { addUsage, noUsage } from "./base/message/token-usage.ts";
export { describeUsageProblem, normalizeUsage } from "./model/normalize-usage.ts";
export { compileStructuredSchema } from "./schema/compile-schema.ts";
export { readOutputSchema } from "./schema/to-json-schema.ts";
export type { CompiledSchema } from "./schema/compile-schema.ts";
export { parseArguments, writeArguments } from "./schema/parse-model-json.ts";

// HTTP to vendors, and to addresses from outside.
export { createHttpPool } from "./provider/wire/http-pool.ts";
export type { HttpInit, HttpPool, HttpPoolOptions, HttpSender } from "./provider/wire/http-pool.ts";
export type { PiecewiseBody } from "./provider/wire/json-body.ts";
export type { HttpReply, ReplyBytes, ReplyHeaders } from "./provider/wire/http-reply.ts";
export type { FetchFunction } from "./provider/wire/fetch-sender.ts";
export type { UndiciDispatcher } from "./provider/wire/proxy-sender.ts";
export { sharedHttpPool } from "./provider/wire/shared-http-pool.ts";
export { Network } from "./provider/network.ts";
export type { CallStart, NetworkSettings } from "./provider/network.ts";
export { mergeHeaders, postJson, readJson } from "./provider/wire/post-json.ts";
export type { ErrorReply, JsonRequest } from "./provider/wire/post-json.ts";
export { askClient, openClientStream } from "./provider/wire/client-call.ts";
export type { ClientMethod } from "./provider/wire/client-call.ts";
export { streamEvents } from "./provider/wire/stream-events.ts";
export type { EventBatch, EventFormat } from "./provider/wire/stream-events.ts";
export { readSse } from "./provider/wire/read-sse.ts";
export type { SseEnd, SseEvent } from "./provider/wire/read-sse.ts";
export { readNdjson } from "./provider/wire/read-ndjson.ts";
export type { EventReadOptions } from "./provider/wire/byte-lines.ts";
export {
  allowPrivateHostsOption,
  guardUrl,
  isAllowedPrivateHost,
  leadsToPrivateHost,
  toAllowedPrivateHosts,
} from "./provider/wire/guard-url.ts";
export type { AllowedPrivateHosts } from "./provider/wire/guard-url.ts";
export { createGuardedFetch } from "./provider/wire/guarded-fetch.ts";
export type { GuardedFetch, GuardedFetchOptions, GuardedReply, GuardedRequest } from "./provider/wire/guarded-fetch.ts";

// HTTP from clients.
export {
  createOriginCheck,
  isFromOtherSite,
  isOriginOf,
  readRequestHost,
  requestSourceOptions,
  SourceGuard,
} from "./provider/wire/request-source.ts";
export type { HostName, RequestSourceOptions, SourcedRequest } from "./provider/wire/request-source.ts";

// Embeddings.
export { generateEmbeddings } from "./knowledge/vector/embed-texts.ts";
export type { EmbeddingCall, EmbeddingLimits } from "./knowledge/vector/embed-texts.ts";

// Vector stores.
export { DatabaseVectorStore, vectorStoreOptionTable } from "./knowledge/vector/database-vector-store.ts";
export type { DatabaseVectorStoreInit, VectorStoreOptions } from "./knowledge/vector/database-vector-store.ts";
export type {
  DirectedVector,
  StoredChange,
  StoredDocument,
  StoredSearch,
  VectorDatabase,
} from "./knowledge/vector/vector-database.ts";
export { checkDimensions } from "./knowledge/vector/check-document.ts";
export type { DocumentFields } from "./knowledge/vector/check-document.ts";
export { filterPath, filterTerms, matchesFilter, metadataTerms } from "./knowledge/vector/metadata-filter.ts";
export type { MetadataFilter } from "./knowledge/vector/metadata-filter.ts";
export type { CheckedSearchOptions } from "./knowledge/vector/read-search-options.ts";
export { NearestItems } from "./knowledge/vector/nearest-items.ts";
export type { ScoredItem } from "./knowledge/vector/nearest-items.ts";

// Storage drivers.
export type { LimitedStorage } from "./sessions/storage/storage-driver.ts";
export { DatabaseStorage } from "./sessions/storage/database-storage.ts";
export type { DatabaseStorageOptions } from "./sessions/storage/database-storage.ts";
export type {
  AppendedKey,
  AppendRequest,
  RangeQuery,
  RecordDatabase,
  RequiredLease,
  TextInsert,
  TextRecord,
  TextSwap,
  TextWrite,
} from "./sessions/storage/record-database.ts";
export { checkLeaseText } from "./sessions/storage/check-lease.ts";
export { checkKey, checkPrefix } from "./sessions/storage/check-key.ts";
export { encodeKey, encodeSequence, decodeSequence } from "./sessions/storage/encode-key.ts";
export { parseJson, toJson } from "./sessions/storage/check-json.ts";

// Transports: requests, runs, sessions and answers.
export { CallerHoldings } from "./sessions/session/caller-holdings.ts";
export { CallerShares } from "./sessions/session/caller-shares.ts";
export { countedCaller } from "./sessions/session/counted-caller.ts";
export type { CallerKey, CountedCaller } from "./sessions/session/counted-caller.ts";
export { readPrincipal, readRunUser } from "./transport/principal.ts";
export type { BodyUserId, Principal, RunUser } from "./transport/principal.ts";
export {
  checkFieldNames,
  readMessage,
  readRunFields,
  readSentObject,
  readWorkflowInput,
  runFieldNames,
} from "./transport/run-fields.ts";
export type { RequestedRun, RequestedRunOpts, RunFieldRules, RunFields } from "./transport/run-fields.ts";
export { readRemoteAddress } from "./transport/remote-address.ts";
export { readRunnables, readWorkflows } from "./transport/served-registry.ts";
export type { ServedWorkflow } from "./transport/served-registry.ts";
export { toPublicChunk, toPublicResult, toPublicSource, toPublicWorkflowChunk } from "./transport/public-chunk.ts";
export { toPublicEvent, toStreamFailure } from "./transport/public-event.ts";
export type { JournalEvent, ShownRun, WaitEvent } from "./transport/public-event.ts";
export { logRunFailure, toPublicFailure } from "./transport/public-failure.ts";
export type { FailedRunFacts } from "./transport/public-failure.ts";
export { toPublicRun, toPublicWait, toRunError } from "./transport/public-run.ts";
export type { PublicRun, PublicWait } from "./transport/public-run.ts";
export { wasDenied } from "./agents/tool/approve-call.ts";
export { ServedRuns } from "./transport/served-runs.ts";
export type {
  FoundRun,
  GivenAnswer,
  KeepRequest,
  OnDisconnect,
  ServedRunsOptions,
  WaitingQuestion,
} from "./transport/served-runs.ts";
export type { KeptRun, RunTarget } from "./transport/accept-requested-run.ts";
export type { EndingRuns } from "./transport/active-runs.ts";
export type { ClientRun, ClientRunPolicy } from "./transport/client-run.ts";
export type { ClientTail, FollowedRun, KeptRunEnd } from "./transport/client-tail.ts";
export { findRunnable, registryEntries } from "./agents/run/registry.ts";
export type { Registry } from "./agents/run/registry.ts";
export { checkContent } from "./agents/run/check-content.ts";
export { closeInOrder, closeTogether } from "./base/async/close-in-order.ts";
export { ownerKey } from "./sessions/storage/owner-key.ts";
export type { OwnerKey } from "./sessions/storage/owner-key.ts";
export { checkOwner, checkUser } from "./sessions/storage/session-owner.ts";
export { countDataBytes } from "./sessions/session/turn-part.ts";
export { storedDataOf } from "./base/message/stored-data.ts";
export type { DataPart, StoredData } from "./base/message/stored-data.ts";
export { checkSessionId } from "./sessions/session/session-id.ts";
export { toPublicOutput } from "./agents/run/run-output.ts";
export type { PublicOutput } from "./agents/run/run-output.ts";
export { encodeSse, encodeSseComment } from "./provider/wire/encode-sse.ts";
export type { SseFields } from "./provider/wire/encode-sse.ts";
export { SseWriter } from "./provider/wire/sse-writer.ts";
export type { SseWriterOptions } from "./provider/wire/sse-writer.ts";

// Runnables.
export { logWarnings } from "./agents/run/log-warnings.ts";
export { readHostRunOptions } from "./agents/agent/host-run-options.ts";
export type { HostRunOptions } from "./agents/agent/host-run-options.ts";
export { readRunOpts } from "./agents/run/read-run-opts.ts";
export type { RunDefaults, RunSettings } from "./agents/run/run-options.ts";
export { Run } from "./agents/run/run.ts";
export { runOf } from "./agents/run/derive-context.ts";
export type { RunInit } from "./agents/run/run.ts";
export { completeOutput } from "./agents/run/complete-output.ts";
export { RunExecution } from "./agents/run/run-execution.ts";
export type { RunEnd, RunWork } from "./agents/run/run-work.ts";

// Helpers.
export { createId } from "./base/util/create-id.ts";
export { cutText } from "./base/util/cut-text.ts";
export { elapsedMs } from "./base/util/elapsed-ms.ts";
export { getOwn } from "./base/util/get-own.ts";
export { mapBounded } from "./base/async/map-bounded.ts";
export { sleep } from "./base/async/sleep.ts";
export { startDeadline } from "./base/async/start-deadline.ts";
export type { Deadline } from "./base/async/start-deadline.ts";
export { untilAborted } from "./base/async/until-aborted.ts";
export { withTimeout } from "./base/async/with-timeout.ts";
export { loggerOption } from "./base/log/logger.ts";
export { createRedactor, isSecretName } from "./base/log/redact.ts";
export type { Redactor } from "./base/log/redact.ts";
export { createMasker } from "./base/util/create-masker.ts";
export type { Masker } from "./base/util/create-masker.ts";
export { sizeInBytes } from "./base/util/size-in-bytes.ts";

// At import: a runtime that is too old would fail in each run.
checkRuntime();
export type { ServedRunnables } from "./transport/durable-service.ts";

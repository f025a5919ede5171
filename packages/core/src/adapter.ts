import { checkRuntime } from "./util/check-runtime.ts";

// Options: tables and ready checks.
export { readOptions, wrongOption } from "./errors/read-options.ts";
export type { OptionCheck, OptionsOf, OptionTable, OptionContext } from "./errors/read-options.ts";
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
} from "./errors/option-checks.ts";
export {
  baseUrlOption,
  clientOption,
  embeddingProviderChecks,
  modelProviderChecks,
  readProviderOptions,
} from "./model/provider-options.ts";
export type { OptionNames, SettingsOf } from "./model/provider-options.ts";
export { networkOptions } from "./model/network.ts";
export type { CallHeaders, NetworkOptions } from "./model/network.ts";

// Errors.
export { abortedError } from "./errors/aborted-error.ts";
export { findErrorCode } from "./errors/find-error-code.ts";
export { isRetryable } from "./retry/is-retryable.ts";
export { readRetryAfter } from "./errors/read-retry-after.ts";
export { toPublicError } from "./errors/public-error.ts";
export type { PublicError } from "./errors/public-error.ts";
export { toModelError } from "./errors/to-model-error.ts";
export type { CallContext } from "./errors/to-model-error.ts";
export { toTroupeError } from "./errors/to-troupe-error.ts";
export { TruncatedResponseError, VendorError } from "./errors/vendor-error.ts";
export type { VendorErrorFacts } from "./errors/vendor-error.ts";

// API keys.
export { checkApiKey } from "./keys/api-keys.ts";
export { genericKeyHeader, keyHeaders, vendorKeyHeaders } from "./keys/key-headers.ts";
export { KeyedCache } from "./keys/keyed-cache.ts";
export { readEnvironment } from "./keys/read-environment.ts";
export { requireKey } from "./keys/resolve-key.ts";
export type { ApiKeySource, KeySources, ResolvedKey } from "./keys/resolve-key.ts";
export { readPayloadKeys } from "./keys/read-payload-keys.ts";
export type { PayloadKeys } from "./keys/read-payload-keys.ts";
export { readKeyHeaders } from "./keys/read-key-headers.ts";
export type { CarriedKeys, ReadKeysOptions, RequestHeaders } from "./keys/read-key-headers.ts";

// Model providers: requests, responses and their parts.
export type { AnswerChunk, ModelChunk, ModelFinish } from "./model/model-chunk.ts";
export type { Source, SourceChunk } from "./message/source.ts";
export type { ModelResponse } from "./model/model-response.ts";
export { collectResponse, ResponseCollector } from "./model/response-collector.ts";
export { generateAnswer, streamAnswer } from "./model/stream-answer.ts";
export type { Connection, EventReader, OpenAnswer, StreamedCall, WholeCall } from "./model/stream-answer.ts";
export { createOmissionReport, createRequestContext } from "./model/omission.ts";
export { nearestEffort } from "./model/nearest-effort.ts";
export type { Omission, ReportOmission, RequestContext } from "./model/omission.ts";
export { PartReader } from "./model/part-reader.ts";
export { PrivateUrls } from "./model/private-urls.ts";
export type { PrivateUrlCheck } from "./model/private-urls.ts";
export { readContentData } from "./message/content-data.ts";
export type { ContentData } from "./message/content-data.ts";
export type { ToolSpec } from "./model/model-config.ts";
export { readCount, readObject, readObjects, readSource, readText, readUsage } from "./model/vendor-json.ts";
export type { VendorCounts } from "./model/vendor-json.ts";
export { withVendorFields } from "./model/vendor-fields.ts";
export { vendorStateOf } from "./model/vendor-state.ts";
export type { ModelMessage, VendorState } from "./model/vendor-state.ts";
export { addUsage, noUsage } from "./message/token-usage.ts";
export { describeUsageProblem, normalizeUsage } from "./model/normalize-usage.ts";
export { compileStructuredSchema } from "./schema/compile-schema.ts";
export { readOutputSchema } from "./schema/to-json-schema.ts";
export type { CompiledSchema } from "./schema/compile-schema.ts";
export { parseArguments, writeArguments } from "./schema/parse-model-json.ts";

// HTTP to vendors, and to addresses from outside.
export { createHttpPool } from "./wire/http-pool.ts";
export type { HttpInit, HttpPool, HttpPoolOptions, HttpSender } from "./wire/http-pool.ts";
export type { PiecewiseBody } from "./wire/json-body.ts";
export type { HttpReply, ReplyBytes, ReplyHeaders } from "./wire/http-reply.ts";
export type { FetchFunction } from "./wire/fetch-sender.ts";
export type { UndiciDispatcher } from "./wire/proxy-sender.ts";
export { sharedHttpPool } from "./wire/shared-http-pool.ts";
export { Network } from "./model/network.ts";
export type { CallStart, NetworkSettings } from "./model/network.ts";
export { mergeHeaders, postJson, readJson } from "./wire/post-json.ts";
export type { ErrorReply, JsonRequest } from "./wire/post-json.ts";
export { askClient, openClientStream } from "./wire/client-call.ts";
export type { ClientMethod } from "./wire/client-call.ts";
export { streamEvents } from "./wire/stream-events.ts";
export type { EventBatch, EventFormat } from "./wire/stream-events.ts";
export { readSse } from "./wire/read-sse.ts";
export type { SseEnd, SseEvent } from "./wire/read-sse.ts";
export { readNdjson } from "./wire/read-ndjson.ts";
export type { EventReadOptions } from "./wire/byte-lines.ts";
export {
  allowPrivateHostsOption,
  guardUrl,
  isAllowedPrivateHost,
  leadsToPrivateHost,
  toAllowedPrivateHosts,
} from "./wire/guard-url.ts";
export type { AllowedPrivateHosts } from "./wire/guard-url.ts";
export { createGuardedFetch } from "./wire/guarded-fetch.ts";
export type { GuardedFetch, GuardedFetchOptions, GuardedReply, GuardedRequest } from "./wire/guarded-fetch.ts";

// HTTP from clients.
export {
  createOriginCheck,
  isFromOtherSite,
  isOriginOf,
  readRequestHost,
  requestSourceOptions,
  SourceGuard,
} from "./wire/request-source.ts";
export type { HostName, RequestSourceOptions, SourcedRequest } from "./wire/request-source.ts";

// Embeddings.
export { generateEmbeddings } from "./vector/embed-texts.ts";
export type { EmbeddingCall, EmbeddingLimits } from "./vector/embed-texts.ts";

// Vector stores.
export { DatabaseVectorStore, vectorStoreOptionTable } from "./vector/database-vector-store.ts";
export type { DatabaseVectorStoreInit, VectorStoreOptions } from "./vector/database-vector-store.ts";
export type {
  DirectedVector,
  StoredChange,
  StoredDocument,
  StoredSearch,
  VectorDatabase,
} from "./vector/vector-database.ts";
export { checkDimensions } from "./vector/check-document.ts";
export type { DocumentFields } from "./vector/check-document.ts";
export { filterPath, filterTerms, matchesFilter, metadataTerms } from "./vector/metadata-filter.ts";
export type { MetadataFilter } from "./vector/metadata-filter.ts";
export type { CheckedSearchOptions } from "./vector/read-search-options.ts";
export { NearestItems } from "./vector/nearest-items.ts";
export type { ScoredItem } from "./vector/nearest-items.ts";

// Storage drivers.
export type { LimitedStorage } from "./storage/storage-driver.ts";
export { DatabaseStorage } from "./storage/database-storage.ts";
export type { DatabaseStorageOptions } from "./storage/database-storage.ts";
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
} from "./storage/record-database.ts";
export { checkLeaseText } from "./storage/check-lease.ts";
export { checkKey, checkPrefix } from "./storage/check-key.ts";
export { encodeKey, encodeSequence, decodeSequence } from "./storage/encode-key.ts";
export { parseJson, toJson } from "./storage/check-json.ts";

// Transports: requests, runs, sessions and answers.
export { CallerHoldings } from "./session/caller-holdings.ts";
export { CallerShares } from "./session/caller-shares.ts";
export { countedCaller } from "./session/counted-caller.ts";
export type { CallerKey, CountedCaller } from "./session/counted-caller.ts";
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
export { wasDenied } from "./tool/approve-call.ts";
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
export { findRunnable, registryEntries } from "./run/registry.ts";
export type { Registry } from "./run/registry.ts";
export { checkContent } from "./run/check-content.ts";
export { closeInOrder, closeTogether } from "./async/close-in-order.ts";
export { ownerKey } from "./storage/owner-key.ts";
export type { OwnerKey } from "./storage/owner-key.ts";
export { checkOwner, checkUser } from "./storage/session-owner.ts";
export { countDataBytes } from "./session/turn-part.ts";
export { storedDataOf } from "./message/stored-data.ts";
export type { DataPart, StoredData } from "./message/stored-data.ts";
export { checkSessionId } from "./session/session-id.ts";
export { toPublicOutput } from "./run/run-output.ts";
export type { PublicOutput } from "./run/run-output.ts";
export { encodeSse, encodeSseComment } from "./wire/encode-sse.ts";
export type { SseFields } from "./wire/encode-sse.ts";
export { SseWriter } from "./wire/sse-writer.ts";
export type { SseWriterOptions } from "./wire/sse-writer.ts";

// Runnables.
export { logWarnings } from "./run/log-warnings.ts";
export { readHostRunOptions } from "./agent/host-run-options.ts";
export type { HostRunOptions } from "./agent/host-run-options.ts";
export { readRunOpts } from "./run/read-run-opts.ts";
export type { RunDefaults, RunSettings } from "./run/run-options.ts";
export { Run } from "./run/run.ts";
export { runOf } from "./run/derive-context.ts";
export type { RunInit } from "./run/run.ts";
export { completeOutput } from "./run/complete-output.ts";
export { RunExecution } from "./run/run-execution.ts";
export type { RunEnd, RunWork } from "./run/run-work.ts";

// Helpers.
export { createId } from "./util/create-id.ts";
export { cutText } from "./util/cut-text.ts";
export { elapsedMs } from "./util/elapsed-ms.ts";
export { getOwn } from "./util/get-own.ts";
export { mapBounded } from "./async/map-bounded.ts";
export { sleep } from "./async/sleep.ts";
export { startDeadline } from "./async/start-deadline.ts";
export type { Deadline } from "./async/start-deadline.ts";
export { untilAborted } from "./async/until-aborted.ts";
export { withTimeout } from "./async/with-timeout.ts";
export { loggerOption } from "./log/logger.ts";
export { createRedactor, isSecretName } from "./log/redact.ts";
export type { Redactor } from "./log/redact.ts";
export { createMasker } from "./util/create-masker.ts";
export type { Masker } from "./util/create-masker.ts";
export { sizeInBytes } from "./util/size-in-bytes.ts";

// At import: a runtime that is too old would fail in each run.
checkRuntime();
export type { ServedRunnables } from "./transport/durable-service.ts";

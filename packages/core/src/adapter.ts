export { sleep } from "./async/sleep.ts";
export { untilAborted } from "./async/until-aborted.ts";
export { withTimeout } from "./async/with-timeout.ts";
export { abortedError } from "./errors/aborted-error.ts";
export { checkCount, checkDuration } from "./errors/check-option.ts";
export { findErrorCode } from "./errors/find-error-code.ts";
export { toPublicError } from "./errors/public-error.ts";
export type { PublicError } from "./errors/public-error.ts";
export {
  anyBoolean,
  anyString,
  arrayOf,
  functionLike,
  integer,
  longestTimerMs,
  methods,
  milliseconds,
  nested,
  nonBlankString,
  numberFrom,
  oneOf,
  optional,
  positiveNumber,
  satisfying,
  timeoutMilliseconds,
} from "./errors/option-checks.ts";
export { readOptions, wrongOption } from "./errors/read-options.ts";
export type { OptionCheck, OptionsOf, OptionTable, Where } from "./errors/read-options.ts";
export { readRetryAfter } from "./errors/read-retry-after.ts";
export { toTroupeError } from "./errors/to-troupe-error.ts";
export { checkApiKey } from "./keys/api-keys.ts";
export { genericKeyHeader, keyHeaders, vendorKeyHeaders } from "./keys/key-headers.ts";
export { readKeyHeaders } from "./keys/read-key-headers.ts";
export type { CarriedKeys, ReadKeysOptions, RequestHeaders } from "./keys/read-key-headers.ts";
export { KeyedCache } from "./keys/keyed-cache.ts";
export { requireKey, resolveKey } from "./keys/resolve-key.ts";
export type { KeySources, ResolvedKey } from "./keys/resolve-key.ts";
export { bindGenericKey, selectKey } from "./keys/select-key.ts";
export { createRedactor, isSecretName } from "./log/redact.ts";
export type { Redactor } from "./log/redact.ts";
export { isRetryable } from "./retry/is-retryable.ts";
export { parseJson, toJson } from "./storage/check-json.ts";
export { checkKey, checkPrefix } from "./storage/check-key.ts";
export { checkLeaseText } from "./storage/check-lease.ts";
export { DatabaseStorage } from "./storage/database-storage.ts";
export type { DatabaseStorageOptions } from "./storage/database-storage.ts";
export { decodeKey, decodeSequence, encodeKey, encodeSequence } from "./storage/encode-key.ts";
export type {
  Appended,
  AppendRequest,
  RangeQuery,
  RecordDatabase,
  RequiredLease,
  TextRecord,
  TextSwap,
  TextWrite,
} from "./storage/record-database.ts";
export { checkSessionId } from "./session/session-id.ts";
export { checkOwner } from "./session/session-owner.ts";
export { turnMessages } from "./session/turn-record.ts";
export { compileSchema, compileStructuredSchema } from "./schema/compile-schema.ts";
export type { CompiledSchema } from "./schema/compile-schema.ts";
export { parseArguments } from "./schema/parse-model-json.ts";
export { describeIssues } from "./schema/schema-issue.ts";
export type { Validation } from "./schema/schema-issue.ts";
export { toJsonSchema } from "./schema/to-json-schema.ts";
export { checkEmbedding, checkVectorName, copyDocument, toRecord } from "./vector/check-document.ts";
export type { DocumentText } from "./vector/check-document.ts";
export { readSearchOptions } from "./vector/read-search-options.ts";
export type { SearchPlan } from "./vector/read-search-options.ts";
export { createId } from "./util/create-id.ts";
export { getOwn } from "./util/get-own.ts";
export { readContentData } from "./message/content-data.ts";
export type { ContentData } from "./message/content-data.ts";
export { addUsage, noUsage } from "./message/token-usage.ts";
export { apiKeyOption, baseUrlOption, loggerOption } from "./model/provider-options.ts";
export type { ModelResponse } from "./model/model-response.ts";
export { PartReader } from "./model/part-reader.ts";
export { collectResponse, ResponseCollector } from "./model/response-collector.ts";
export type { AnswerChunk, ModelChunk, ModelFinish } from "./model/model-chunk.ts";
export { vendorStateOf } from "./model/vendor-state.ts";
export type { ModelMessage, VendorState } from "./model/vendor-state.ts";
export type { ToolSpec } from "./model/tool-spec.ts";
export { checkOptionNames } from "./errors/check-option-names.ts";
export { checkContent } from "./run/check-content.ts";
export { soundUsage } from "./message/token-usage.ts";
export { readRunOpts } from "./run/read-run-opts.ts";
export type { RunDefaults, RunSettings } from "./run/run-options.ts";
export { RunExecution } from "./run/run-execution.ts";
export { Run } from "./run/run.ts";
export type { RunSpec } from "./run/run.ts";
export type { RunEnd, RunWork } from "./run/run-work.ts";
export { findRunnable, registryEntries } from "./run/registry.ts";
export type { Registry } from "./run/registry.ts";
export { toPublicOutput } from "./run/to-public-output.ts";
export type { PublicOutput } from "./run/to-public-output.ts";
export { encodeSse, encodeSseComment } from "./wire/encode-sse.ts";
export type { SseFields } from "./wire/encode-sse.ts";
export { createGuardedFetch } from "./wire/guarded-fetch.ts";
export type { GuardedFetch, GuardedFetchOptions, GuardedReply, GuardedRequest } from "./wire/guarded-fetch.ts";
export { isPrivateAddress } from "./wire/private-address.ts";
export type { UrlRefusal } from "./wire/guard-url.ts";
export { createHttpPool } from "./wire/http-pool.ts";
export type { HttpPool, HttpPoolOptions, PooledRequestInit } from "./wire/http-pool.ts";
export { sharedHttpPool } from "./wire/http-pool.ts";
export { readNdjson } from "./wire/read-ndjson.ts";
export type { EventReadOptions } from "./wire/byte-lines.ts";
export { readToEnd } from "./wire/reply.ts";
export { readSse } from "./wire/read-sse.ts";
export type { SseEnd } from "./wire/read-sse.ts";
export { SseParser } from "./wire/read-sse.ts";
export type { SseEvent } from "./wire/read-sse.ts";
export { SseWriter } from "./wire/sse-writer.ts";
export type { SseWriterOptions } from "./wire/sse-writer.ts";

import { checkRuntime } from "./base/util/check-runtime.ts";

// Errors, as clients see them.
export { toPublicError } from "./base/errors/public-error.ts";
export type { PublicError } from "./base/errors/public-error.ts";
export type { OptionContext } from "./base/errors/read-options.ts";

// API keys of requests.
export { checkApiKey } from "./model/keys/api-keys.ts";
export { isKeyHeader, apiKeysInHeaders } from "./model/keys/key-headers.ts";
export { readPayloadApiKeys } from "./model/keys/read-payload-api-keys.ts";
export { readKeyHeaders } from "./model/keys/read-key-headers.ts";

// Usage, and schemas of structured output.
export { describeUsageProblem, normalizeUsage } from "./model/normalize-usage.ts";
export { compileStructuredSchema } from "./schema/compile-schema.ts";
export { readOutputSchema } from "./schema/to-json-schema.ts";

// The origins and hosts of requests.
export {
  createOriginCheck,
  isFromOtherSite,
  isOriginOfHost,
  readRequestHost,
  HostAndOriginGuard,
} from "./provider/wire/request-source.ts";
export type { ParsedHost, HostAndOriginRequest } from "./provider/wire/request-source.ts";

// A service and its protocols: exchanges and routes over HTTP.
export type { Service } from "./transport/service/service.ts";
export { keyHeadersOf } from "./transport/service/key-headers-of.ts";
export { checkShortFormOptions, serviceOptionNames } from "./transport/service/service-options.ts";
export type { Protocol } from "./transport/service/protocol.ts";
export { Exchange } from "./transport/exchange/exchange.ts";
export type { AnswerHeaders } from "./transport/exchange/exchange.ts";
export type { FailedRun } from "./transport/exchange/log-failure.ts";
export { EventStream, sseHeaders } from "./transport/exchange/event-stream.ts";
export { NodeExchange } from "./transport/exchange/node-exchange.ts";
export type { NodeRequest } from "./transport/exchange/node-exchange.ts";
export { requestIdOf } from "./transport/exchange/request-id.ts";
export { requestRecordOf } from "./transport/exchange/request-record.ts";
export type { RequestRecord } from "./transport/exchange/request-record.ts";
export { toHttpFailure } from "./transport/exchange/to-http-failure.ts";
export { httpStatusOfCode } from "./transport/exchange/http-status-of-code.ts";
export type { Route, RouteHandler } from "./transport/routes/route.ts";
export { toServiceRequest } from "./transport/request/service-request.ts";
export type { RequestSource } from "./transport/request/service-request.ts";

// Requests, runs, sessions and answers.
export { CallerHoldings } from "./sessions/session/caller-holdings.ts";
export { CallerShares } from "./sessions/session/caller-shares.ts";
export { countedCaller } from "./sessions/session/counted-caller.ts";
export type { CallerKey, CountedCaller } from "./sessions/session/counted-caller.ts";
export { readPrincipal } from "./transport/request/principal.ts";
export {
  checkFieldNames,
  readMessage,
  readRunFields,
  readClientObject,
  readWorkflowInput,
  runFieldNames,
} from "./transport/request/run-fields.ts";
export type { RequestedRun, RunFieldContext, RunFields } from "./transport/request/run-fields.ts";
export { checkDataParts, checkFileType, fileLimitOptions, detectMimeType } from "./transport/request/file-limits.ts";
export { readIdempotencyKey } from "./transport/request/idempotency-key.ts";
export { readRunQuery } from "./transport/request/run-query.ts";
export { readRunnables } from "./transport/request/served-registry.ts";
export { toPublicSource } from "./base/message/source.ts";
export { toPublicChunk, toPublicWorkflowChunk } from "./transport/public/public-chunk.ts";
export { toPublicEvent } from "./transport/public/public-event.ts";
export { toPublicStateChange } from "./transport/public/public-state.ts";
export type { JournalEvent, WaitEvent } from "./transport/public/public-event.ts";
export { logRunFailure, toPublicFailure } from "./transport/public/public-failure.ts";
export type { FailedRunFacts } from "./transport/public/public-failure.ts";
export { toPublicRun, toPublicWait, toStoredError } from "./transport/public/public-run.ts";
export type { PublicRun, PublicWait } from "./transport/public/public-run.ts";
export { wasToolCallDenied } from "./agents/tool/approve-call.ts";
export { telemetryOf } from "./agents/run/derive-context.ts";
export type { ServedRuns, FoundRun } from "./transport/runs/served-runs.ts";
export type { ProtocolRunOptions } from "./transport/runs/accept-requested-run.ts";
export type { EventRange, FailureEvent, ServedEvent, SettledRun } from "./transport/runs/served-event.ts";
export type { ServedRun } from "./transport/runs/served-run.ts";
export type { ServedStoredRun } from "./transport/runs/served-stored-run.ts";
export { findRunnable, registryEntries } from "./agents/run/registry.ts";
export type { Registry } from "./agents/run/registry.ts";
export { checkContent } from "./agents/run/check-content.ts";
export { ownerKey } from "./sessions/storage/owner-key.ts";
export type { OwnerKey } from "./sessions/storage/owner-key.ts";
export { toUserOwner } from "./sessions/storage/session-owner.ts";
export { countDataBytes } from "./sessions/session/turn-part.ts";
export { storedDataReferenceOf } from "./base/message/stored-data.ts";
export type { DataPart } from "./base/message/stored-data.ts";
export { checkSessionId } from "./sessions/session/session-id.ts";
export { toPublicOutput } from "./agents/run/run-output.ts";
export type { PublicOutput } from "./agents/run/run-output.ts";
export { encodeSse } from "./provider/wire/encode-sse.ts";
export { SseWriter } from "./provider/wire/sse-writer.ts";

// Runnables of your own, such as a remote agent.
export { resolveRunOpts } from "./agents/run/resolve-run-opts.ts";
export type { RunSettings } from "./agents/run/run-options.ts";
export { Run } from "./agents/run/run.ts";
export { runOfContext } from "./agents/run/derive-context.ts";
export { RunExecution } from "./agents/run/run-execution.ts";
export type { RunWork } from "./agents/run/run-work.ts";

export type { Masker } from "./base/util/create-masker.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();

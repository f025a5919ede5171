import { checkRuntime } from "./base/util/check-runtime.ts";

// Errors, as clients see them.
export { toPublicError } from "./base/errors/public-error.ts";
export type { PublicError } from "./base/errors/public-error.ts";
export type { OptionContext } from "./base/errors/read-options.ts";

// API keys of requests.
export { checkApiKey } from "./model/keys/api-keys.ts";
export { genericKeyHeader, vendorKeyHeaders } from "./model/keys/key-headers.ts";
export { readPayloadKeys } from "./model/keys/read-payload-keys.ts";
export { readKeyHeaders } from "./model/keys/read-key-headers.ts";
export type { CarriedKeys } from "./model/keys/read-key-headers.ts";

// Usage, and schemas of structured output.
export { describeUsageProblem, normalizeUsage } from "./model/normalize-usage.ts";
export { compileStructuredSchema } from "./schema/compile-schema.ts";
export { readOutputSchema } from "./schema/to-json-schema.ts";

// HTTP to addresses that come from outside.
export type { ReplyBytes } from "./provider/wire/http-reply.ts";
export { readNdjson } from "./provider/wire/read-ndjson.ts";
export {
  allowPrivateHostsOption,
  guardUrl,
  isAllowedPrivateHost,
  leadsToPrivateHost,
  toAllowedPrivateHosts,
} from "./provider/wire/guard-url.ts";
export type { AllowedPrivateHosts } from "./provider/wire/guard-url.ts";
export { createGuardedFetch } from "./provider/wire/guarded-fetch.ts";
export type { GuardedFetch } from "./provider/wire/guarded-fetch.ts";

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

// Requests, runs, sessions and answers.
export { CallerHoldings } from "./sessions/session/caller-holdings.ts";
export { CallerShares } from "./sessions/session/caller-shares.ts";
export { countedCaller } from "./sessions/session/counted-caller.ts";
export type { CallerKey, CountedCaller } from "./sessions/session/counted-caller.ts";
export { readPrincipal, readRunUser } from "./transport/principal.ts";
export type { BodyUserId, Principal } from "./transport/principal.ts";
export {
  checkFieldNames,
  readMessage,
  readRunFields,
  readSentObject,
  readWorkflowInput,
  runFieldNames,
} from "./transport/run-fields.ts";
export type { RequestedRun, RunFieldRules, RunFields } from "./transport/run-fields.ts";
export { readRemoteAddress } from "./transport/remote-address.ts";
export { readRunnables, readWorkflows } from "./transport/served-registry.ts";
export type { ServedRunnables } from "./transport/durable-service.ts";
export type { ServedWorkflow } from "./transport/served-registry.ts";
export { toPublicChunk, toPublicResult, toPublicSource, toPublicWorkflowChunk } from "./transport/public-chunk.ts";
export { toPublicEvent, toStreamFailure } from "./transport/public-event.ts";
export type { JournalEvent, WaitEvent } from "./transport/public-event.ts";
export { logRunFailure, toPublicFailure } from "./transport/public-failure.ts";
export type { FailedRunFacts } from "./transport/public-failure.ts";
export { toPublicRun, toPublicWait, toRunError } from "./transport/public-run.ts";
export type { PublicRun, PublicWait } from "./transport/public-run.ts";
export { wasDenied } from "./agents/tool/approve-call.ts";
export { ServedRuns } from "./transport/served-runs.ts";
export type { FoundRun, OnDisconnect, WaitingQuestion } from "./transport/served-runs.ts";
export type { KeptRun, RunTarget } from "./transport/accept-requested-run.ts";
export type { EndingRuns } from "./transport/active-runs.ts";
export type { ClientRun } from "./transport/client-run.ts";
export type { ClientTail, FollowedRun, KeptRunEnd } from "./transport/client-tail.ts";
export { findRunnable, registryEntries } from "./agents/run/registry.ts";
export type { Registry } from "./agents/run/registry.ts";
export { checkContent } from "./agents/run/check-content.ts";
export { ownerKey } from "./sessions/storage/owner-key.ts";
export type { OwnerKey } from "./sessions/storage/owner-key.ts";
export { checkUser } from "./sessions/storage/session-owner.ts";
export { countDataBytes } from "./sessions/session/turn-part.ts";
export { storedDataOf } from "./base/message/stored-data.ts";
export type { DataPart } from "./base/message/stored-data.ts";
export { checkSessionId } from "./sessions/session/session-id.ts";
export { toPublicOutput } from "./agents/run/run-output.ts";
export type { PublicOutput } from "./agents/run/run-output.ts";
export { encodeSse, encodeSseComment } from "./provider/wire/encode-sse.ts";
export { SseWriter } from "./provider/wire/sse-writer.ts";

// Runnables of your own, such as a remote agent.
export { logWarnings } from "./agents/run/log-warnings.ts";
export { readHostRunOptions } from "./agents/agent/host-run-options.ts";
export type { HostRunOptions } from "./agents/agent/host-run-options.ts";
export { readRunOpts } from "./agents/run/read-run-opts.ts";
export type { RunSettings } from "./agents/run/run-options.ts";
export { Run } from "./agents/run/run.ts";
export { runOf } from "./agents/run/derive-context.ts";
export { completeOutput } from "./agents/run/complete-output.ts";
export { RunExecution } from "./agents/run/run-execution.ts";
export type { RunWork } from "./agents/run/run-work.ts";

export type { Masker } from "./base/util/create-masker.ts";

// At import: a runtime that is too old would fail in each run.
checkRuntime();

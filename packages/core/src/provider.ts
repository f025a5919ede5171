import { checkRuntime } from "./base/util/check-runtime.ts";

// Options that each provider has.
export {
  clientOption,
  embeddingProviderOptionTable,
  modelProviderOptionTable,
  readProviderOptions,
} from "./provider/provider-options.ts";
export type { ProviderOptionContext, ProviderSettingsOf } from "./provider/provider-options.ts";

// Errors.
export { toModelError } from "./base/errors/to-model-error.ts";
export type { CallContext } from "./base/errors/to-model-error.ts";
export { TruncatedResponseError, VendorError } from "./base/errors/vendor-error.ts";

// API keys.
export { ApiKeyCache } from "./model/keys/api-key-cache.ts";
export { requireKey } from "./model/keys/resolve-key.ts";
export type { ResolvedKey } from "./model/keys/resolve-key.ts";

// A model call: its request, its answer and their parts.
export type { ModelCallOptions } from "./model/model-config.ts";
export type { ModelChunk, ModelFinish } from "./model/model-chunk.ts";
export { collectResponse, ResponseCollector } from "./model/response-collector.ts";
export { generateAnswer, streamAnswer } from "./provider/stream-answer.ts";
export type { Connection, EventReader } from "./provider/stream-answer.ts";
export { createOmissionReport, createRequestContext } from "./provider/request-context.ts";
export { nearestReasoningEffort } from "./provider/nearest-reasoning-effort.ts";
export type { RequestOmission } from "./model/omission.ts";
export type { ReportRequestOmission, RequestContext } from "./provider/request-context.ts";
export { PartReader } from "./provider/part-reader.ts";
export { PrivateUrls } from "./provider/private-urls.ts";
export type { ContentData } from "./base/message/content-data.ts";
export { readSource, readUsage } from "./provider/vendor-json.ts";
export { withVendorFields } from "./provider/vendor-fields.ts";
export { vendorStateOf } from "./model/vendor-state.ts";
export type { ModelMessage, VendorState } from "./model/vendor-state.ts";
export { addUsage, noUsage } from "./base/message/token-usage.ts";
export { stringifyArguments } from "./schema/parse-model-json.ts";

// HTTP to the vendor.
export { createHttpPool } from "./provider/wire/http-pool.ts";
export type { HttpPool } from "./provider/wire/http-pool.ts";
export type { HttpSender } from "./provider/wire/http-sender.ts";
export { sharedHttpPool } from "./provider/wire/shared-http-pool.ts";
export type { ModelCallStart } from "./provider/network.ts";
export { postJson, readJson } from "./provider/wire/post-json.ts";
export type { ErrorReply, JsonRequest } from "./provider/wire/post-json.ts";
export { callClient, openSdkStream } from "./provider/wire/client-call.ts";
export type { ClientMethod } from "./provider/wire/client-call.ts";
export type { EventBatch } from "./provider/wire/stream-events.ts";
export { readSse } from "./provider/wire/read-sse.ts";

// Embeddings.
export { generateEmbeddings } from "./knowledge/vector/embed-texts.ts";
export type { EmbeddingLimits } from "./knowledge/vector/embed-texts.ts";

// HTTP to addresses that a user, a model or another server has sent.
export type { ReplyBody } from "./provider/wire/http-reply.ts";
export { readNdjson } from "./provider/wire/read-ndjson.ts";
export { allowPrivateHostsOption } from "./provider/wire/guard-url.ts";
export { createGuardedFetch } from "./provider/wire/guarded-fetch.ts";
export type { GuardedFetch } from "./provider/wire/guarded-fetch.ts";
export { WebhookReceiverGuard } from "./provider/wire/webhook-receiver-guard.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();

export {
  countParameter,
  queryParameter,
  readMaxResults,
  readTextArgument,
  readTimeRange,
  timeRangeParameter,
  timeRanges,
} from "./arguments.ts";
export type { TimeRange } from "./arguments.ts";
export { cleanLines, cleanText } from "./clean-text.ts";
export { cleanUrl } from "./clean-url.ts";
export { credentialOption, readCredential } from "./credential.ts";
export type { CredentialSources } from "./credential.ts";
export { decodeEntities } from "./decode-entities.ts";
export { cleanDate, toHitsResult, toIsoTime, toSearchHit } from "./hits.ts";
export type { FoundHits, SearchHit } from "./hits.ts";
export { defineSearchTool } from "./define-search-tool.ts";
export type { Search, SearchTool } from "./define-search-tool.ts";
export { htmlToLines, htmlToText } from "./html-to-text.ts";
export { problemOfStatus, serviceError } from "./service-error.ts";
export type { ServiceFailure, ServiceProblem } from "./service-error.ts";
export { explainAddress, explainKeyless, ServiceReply } from "./service-reply.ts";
export type { ExplainReply } from "./service-reply.ts";
export { Service } from "./service.ts";
export type { Ask, ServiceOptions, ServiceRequest } from "./service.ts";
export { enabledTools, maxResultsOption, toolkitChecks, toolTimeoutMs } from "./toolkit-options.ts";
export type { ToolSwitch } from "./toolkit-options.ts";

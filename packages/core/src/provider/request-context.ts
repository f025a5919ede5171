import type { Logger } from "../base/log/logger.ts";
import { isPrivateUrl } from "./wire/private-address.ts";
import type { RequestOmission } from "../model/omission.ts";
import type { PrivateUrlCheck } from "./private-urls.ts";

/**
 * Reports an omission from a request, for the functions of a provider that write requests. Neither string may contain a
 * value. The third argument is true for a part of the messages, instead of an option.
 */
export type ReportRequestOmission = (what: string, reason: string, about?: "messages") => void;

/**
 * Returns a function with which a provider reports omissions from a request. It reports to the run by `onOmitted` of
 * the call, and at level debug to the provider's own logger.
 */
export function createOmissionReport(
  { providerId, modelId }: { readonly providerId: string; readonly modelId: string },
  { logger, onOmitted }: { logger: Logger; onOmitted?: ((omission: RequestOmission) => void) | undefined },
): ReportRequestOmission {
  return (what, reason, about) => {
    logger.debug(`${what} is left out: ${reason}`, { vendor: providerId, model: modelId });
    onOmitted?.({ what, reason, providerId, modelId, ...(about === "messages" && { isInMessages: true }) });
  };
}

/**
 * The model of a request, its abilities, and functions that report omissions, for the functions that convert a model
 * call to a request.
 */
export type RequestContext<Rules> = {
  readonly model: { readonly providerId: string; readonly modelId: string };
  readonly rules: Rules;
  /** Returns true for URLs in messages that are not sent to the vendor: see `PartReader`. */
  readonly isPrivateUrl: PrivateUrlCheck;
  /** Reports a setting, or a part of the history, that is omitted and lost. */
  readonly reportOmitted: ReportRequestOmission;
  /** Reports a setting that is omitted from the request and expressed in the instructions instead. */
  readonly reportReplaced: ReportRequestOmission;
};

/** The settings of a provider on which a request depends. */
type RequestSettings<Rules> = { rules: Rules; logger: Logger; isPrivateUrl?: PrivateUrlCheck };

/** Makes the context of one request of a model. It reports to the provider's logger and to the run of the call. */
export function createRequestContext<Rules>(
  model: RequestContext<Rules>["model"],
  { rules, logger, isPrivateUrl: isPrivate = isPrivateUrl }: RequestSettings<Rules>,
  { onOmitted }: { onOmitted?: ((omission: RequestOmission) => void) | undefined },
): RequestContext<Rules> {
  const reportOmitted = createOmissionReport(model, { logger, onOmitted });
  const reportReplaced = createOmissionReport(model, { logger });
  return { model, rules, isPrivateUrl: isPrivate, reportOmitted, reportReplaced };
}

import type { Logger } from "../base/log/logger.ts";
import { isPrivateUrl } from "./wire/private-address.ts";
import type { Omission } from "../model/omission.ts";
import type { PrivateUrlCheck } from "./private-urls.ts";

/**
 * Reports what is left out of a request, for the functions of a provider that write one. Neither word may hold a value. The
 * third argument says that it is a part of the messages, and no option.
 */
export type ReportOmission = (what: string, reason: string, about?: "messages") => void;

/**
 * Returns a function for a provider that reports what it leaves out of a request: to the run, by `onOmitted` of the
 * call, and at level debug to the provider's own logger.
 */
export function createOmissionReport(
  { providerId, modelId }: { readonly providerId: string; readonly modelId: string },
  { logger, onOmitted }: { logger: Logger; onOmitted?: ((omission: Omission) => void) | undefined },
): ReportOmission {
  return (what, reason, about) => {
    logger.debug(`${what} is left out: ${reason}`, { vendor: providerId, model: modelId });
    onOmitted?.({ what, reason, providerId, modelId, ...(about === "messages" && { isInMessages: true }) });
  };
}

/**
 * The model that a request is for, its abilities, and functions that report what is left out, for the functions that
 * convert a model call to a request.
 */
export type RequestContext<Rules> = {
  readonly model: { readonly providerId: string; readonly modelId: string };
  readonly rules: Rules;
  /** Tells which URLs of the messages the vendor is not sent: see `PartReader`. */
  readonly isPrivateUrl: PrivateUrlCheck;
  /** Reports a setting, or a part of the history, that is left out and lost. */
  readonly reportOmitted: ReportOmission;
  /** Reports a setting that is left out, but that the instructions stand for. */
  readonly reportReplaced: ReportOmission;
};

/** The settings of a provider that a request depends on. */
type RequestSettings<Rules> = { rules: Rules; logger: Logger; isPrivateUrl?: PrivateUrlCheck };

/** Makes the context of one request of a model, which reports to the provider's logger and to the run of the call. */
export function createRequestContext<Rules>(
  model: RequestContext<Rules>["model"],
  { rules, logger, isPrivateUrl: isPrivate = isPrivateUrl }: RequestSettings<Rules>,
  { onOmitted }: { onOmitted?: ((omission: Omission) => void) | undefined },
): RequestContext<Rules> {
  const reportOmitted = createOmissionReport(model, { logger, onOmitted });
  const reportReplaced = createOmissionReport(model, { logger });
  return { model, rules, isPrivateUrl: isPrivate, reportOmitted, reportReplaced };
}

import type { Logger } from "../log/logger.ts";

/** A setting, or a part of the messages, that was left out of a request because the model does not take it. */
export type Omission = {
  what: string;
  reason: string;
  providerId: string;
  modelId: string;
  /** True for a part of the messages, which another call may not have; an option is left out of every call. */
  isInMessages?: boolean;
};

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

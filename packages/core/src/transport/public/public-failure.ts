import { toPublicError } from "../../base/errors/public-error.ts";
import type { ErrorCode, TroupeError } from "../../base/errors/troupe-error.ts";
import type { Logger, LogFields } from "../../base/log/logger.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { RunError } from "../../agents/run/run-output.ts";

/**
 * The facts about a failed run that a client receives with its error: the run's id and, if it was billed, its usage.
 */
export type FailedRunFacts = { runId?: string; usage?: TokenUsage };

/** Returns the public form of an error: its code, message and fields and, for a run, its id and usage. */
export function toPublicFailure(error: TroupeError): { code: ErrorCode; message: string } & FailedRunFacts {
  return { ...toPublicError(error), ...factsOf(error) };
}

function factsOf(error: TroupeError): FailedRunFacts {
  if (!(error instanceof RunError)) return {};
  const { runId, usage } = error.output;
  // The usage is sent without the vendor's own metrics object.
  const { providerMetrics: _, ...counts } = usage;
  return { runId, ...(usage.totalTokens > 0 && { usage: counts }) };
}

/** Codes of failures caused or requested by the client. All other failures also concern the operator. */
const clientFailures: ReadonlySet<string> = new Set([
  "invalid_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "gone",
  "payload_too_large",
  "unsupported_media_type",
  "guardrail_blocked",
  "idempotency_mismatch",
  "limit_exceeded",
  "context_too_long",
  "rate_limited",
  "cancelled",
] satisfies ErrorCode[]);

/** Codes of mistakes in the service itself, which only its operator can correct. */
const ownFaults: ReadonlySet<string> = new Set(["internal", "invalid_config", "invalid_value"] satisfies ErrorCode[]);

/**
 * Logs a failed request that is not the client's fault, with the cause and the given fields, without the secrets of the
 * request. Mistakes of the service itself are logged as errors; other failures, such as a vendor's, as warnings.
 */
export function logRunFailure(
  error: TroupeError,
  logger: Logger,
  { secrets, ...fields }: LogFields & { readonly secrets: readonly (string | undefined)[] },
): void {
  if (clientFailures.has(error.code)) return;
  const redacting = logger.withSecrets(secrets);
  if (ownFaults.has(error.code)) redacting.error("A request failed by a fault of the service.", { ...fields, error });
  else redacting.warn("A request failed.", { ...fields, error });
}

import type { RunOpts, TroupeError } from "@troupe/core";
import { keyHeaders } from "@troupe/core/adapter";
import type { Request } from "express";
import type { Exchange } from "../exchange/exchange.ts";
import { statusOf } from "./status-of.ts";

/** The options of a failed run that its log entry needs: the run's id, and its API keys to keep out of the log. */
export type FailedRun = Pick<RunOpts, "apiKey" | "apiKeys" | "runId">;

/** Codes of mistakes in the service itself, which only its operator can mend. */
const ownFaults: ReadonlySet<string> = new Set(["internal", "invalid_config", "invalid_value"]);

/**
 * Logs a failed request if its status is 500 or higher, with the cause and without the keys of the request: faults of
 * the service itself as errors, others, such as a vendor's, as warnings.
 */
export function logFailure(error: TroupeError, { logger, request, requestId }: Exchange, run?: FailedRun): void {
  if (statusOf(error.code) < 500) return;
  const redacting = logger.withSecrets(secretsOf(request, run));
  const fields = { requestId, ...(run && { runId: run.runId }), error };
  if (ownFaults.has(error.code)) redacting.error("A request failed by a fault of the service.", fields);
  else redacting.warn("A request failed.", fields);
}

function secretsOf({ headers }: Request, run: FailedRun | undefined): (string | undefined)[] {
  const sent = keyHeaders.flatMap((name) => headers[name] ?? []);
  return [...sent, headers.authorization, run?.apiKey, ...Object.values(run?.apiKeys ?? {})];
}

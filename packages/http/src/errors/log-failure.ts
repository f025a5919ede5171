import type { RunOpts, TroupeError } from "@troupe/core";
import { keyHeaders } from "@troupe/core";
import { logRunFailure } from "@troupe/core/transport";
import type { Request } from "express";
import type { Exchange } from "../exchange/exchange.ts";

/** The options of a failed run that its log entry needs: the run's id, and its API keys to keep out of the log. */
export type FailedRun = Pick<RunOpts, "apiKey" | "apiKeys" | "runId">;

/** Logs a failed request that is not the client's fault, with its id and without its keys. */
export function logFailure(error: TroupeError, { logger, request, requestId }: Exchange, run?: FailedRun): void {
  logRunFailure(error, logger, { requestId, ...(run && { runId: run.runId }), secrets: secretsOf(request, run) });
}

function secretsOf({ headers }: Request, run: FailedRun | undefined): (string | undefined)[] {
  const sent = keyHeaders.flatMap((name) => headers[name] ?? []);
  return [...sent, headers.authorization, run?.apiKey, ...Object.values(run?.apiKeys ?? {})];
}

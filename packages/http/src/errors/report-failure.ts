import type { Logger, TroupeError } from "@troupe/core";
import { keyHeaders } from "@troupe/core/adapter";
import type { Request } from "express";
import type { CallOpts } from "../exchange.ts";
import { statusOf } from "./status-of.ts";

/** What failed, and what must not be said about it. */
export type Report = {
  logger: Logger;
  request: Request;
  requestId: string;
  /** What the run was told, when it was one: its keys are hidden in the log. */
  opts?: CallOpts | undefined;
};

/** The service's own mistakes: nobody but its operator can mend them. */
const ownFaults: ReadonlySet<string> = new Set(["internal", "invalid_config", "invalid_value"]);

/** Tells the operator of a failure that is not the client's: with its cause, and without the keys of the request. */
export function reportFailure(error: TroupeError, { logger, request, requestId, opts }: Report): void {
  if (statusOf(error.code) < 500) return;
  const told = logger.withSecrets(secretsOf(request, opts));
  const fields = { requestId, ...(opts && { runId: opts.runId }), error };
  if (ownFaults.has(error.code)) told.error("A request failed by a fault of the service.", fields);
  else told.warn("A request failed.", fields);
}

function secretsOf({ headers }: Request, opts: CallOpts | undefined): (string | undefined)[] {
  const sent = keyHeaders.flatMap((name) => headers[name] ?? []);
  return [...sent, headers.authorization, opts?.apiKey, ...Object.values(opts?.apiKeys ?? {})];
}

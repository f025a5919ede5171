import type { IncomingHttpHeaders } from "node:http";
import type { RunOpts } from "../../agents/run/run-options.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Logger } from "../../base/log/logger.ts";
import { apiKeysInHeaders } from "../../model/keys/key-headers.ts";
import { logRunFailure } from "../public/public-failure.ts";

/** The options of a failed run that its log entry needs: the run's id, and its API keys, which must not be logged. */
export type FailedRun = Pick<RunOpts, "apiKey" | "apiKeys" | "runId">;

/** The parts of a request that its log entry needs. */
export type LoggedRequest = {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly logger: Logger;
};

/** Logs a failed request that is not the client's fault, with the request's id and without API keys. */
export function logFailure(error: TroupeError, { logger, headers, requestId }: LoggedRequest, run?: FailedRun): void {
  logRunFailure(error, logger, { requestId, ...(run && { runId: run.runId }), secrets: secretsOf(headers, run) });
}

function secretsOf(headers: IncomingHttpHeaders, run: FailedRun | undefined): (string | undefined)[] {
  return [...apiKeysInHeaders(headers), headers.authorization, run?.apiKey, ...Object.values(run?.apiKeys ?? {})];
}

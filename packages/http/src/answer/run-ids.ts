import type { Exchange } from "@troupe/core/transport";

/** The ids of a run for its client. */
export type RunIds = { readonly runId: string; readonly sessionId: string };

/** Returns the path of a stored run. The paths of its events and of its cancellation begin with this path. */
export function pathOfRun(exchange: Pick<Exchange, "linkTo">, runId: string): string {
  return exchange.linkTo(`/runs/${encodeURIComponent(runId)}`);
}

/** Sends the ids of a run in an interim response (103), before the status of the answer is known. */
export function sendEarlyHints(exchange: Exchange, { runId, sessionId }: RunIds): void {
  // Node sends a 103 only with a link.
  const link = `<${pathOfRun(exchange, runId)}/cancel>; rel=related`;
  exchange.sendHints({ link, "X-Run-Id": runId, "X-Session-Id": sessionId });
}

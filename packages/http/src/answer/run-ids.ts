import type { Exchange } from "@troupe/core/transport";

/** The ids of a run for its client. */
export type RunIds = { readonly runId: string; readonly sessionId: string };

/** Returns the path of a stored run, below which its events and its cancellation are. */
export function pathOfRun(exchange: Pick<Exchange, "linkTo">, runId: string): string {
  return exchange.linkTo(`/runs/${encodeURIComponent(runId)}`);
}

/** Sends the ids of a run in an interim response (103) before the answer, whose status is still open. */
export function sendEarlyHints(exchange: Exchange, { runId, sessionId }: RunIds): void {
  // Node does not send a 103 without a link.
  const link = `<${pathOfRun(exchange, runId)}/cancel>; rel=related`;
  exchange.sendHints({ link, "X-Run-Id": runId, "X-Session-Id": sessionId });
}

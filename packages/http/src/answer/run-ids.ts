import type { Exchange } from "@troupe/core/transport";

/** The ids of a run that its client receives. */
export type RunIds = { readonly runId: string; readonly sessionId: string };

/** Returns the path of a stored run, behind which its events and its cancel are. */
export function pathOfRun(exchange: Pick<Exchange, "linkTo">, runId: string): string {
  return exchange.linkTo(`/runs/${encodeURIComponent(runId)}`);
}

/** Sends the ids of a run as a 103, before its answer: an interim response, after which any status may follow. */
export function sendEarlyHints(exchange: Exchange, { runId, sessionId }: RunIds): void {
  // Node sends no such response without a link.
  const link = `<${pathOfRun(exchange, runId)}/cancel>; rel=related`;
  exchange.sendHints({ link, "X-Run-Id": runId, "X-Session-Id": sessionId });
}

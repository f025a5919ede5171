import type { Exchange } from "../exchange/exchange.ts";

/** The ids of a run that its client is told. */
export type RunIds = { readonly runId: string; readonly sessionId: string };

/** Returns the path of a kept run, behind which its events and its cancel are. */
export function pathOfRun({ baseUrl }: Pick<Exchange["request"], "baseUrl">, runId: string): string {
  return `${baseUrl.replaceAll(/[^!-~]|[<>"]/g, encodeURIComponent)}/runs/${encodeURIComponent(runId)}`;
}

/**
 * Sends the ids of a run as a 103, before its answer: an interim response, after which any status may follow. HTTP/1.0 has
 * none.
 */
export function sendEarlyHints({ request, response }: Exchange, { runId, sessionId }: RunIds): void {
  if (response.destroyed || request.httpVersion === "1.0") return;
  // Node sends no such response without a link.
  const link = `<${pathOfRun(request, runId)}/cancel>; rel=related`;
  response.writeEarlyHints({ link, "X-Run-Id": runId, "X-Session-Id": sessionId });
}

import type { RequestedRun, ProtocolRunOptions, ServedRun, Service } from "@troupe/core/transport";
import type { Exchange } from "@troupe/core/transport";
import { pathOfRun } from "./run-ids.ts";

/** A checked request for a run, and the options of the run that the HTTP request sets. */
export type RunCall = {
  readonly exchange: Exchange;
  readonly service: Service;
  readonly requested: RequestedRun<unknown, unknown>;
  readonly terms: ProtocolRunOptions;
  /** True if the client wants the ids of the run before the answer. */
  readonly early: boolean;
};

/**
 * Begins the run of a request, and sends its ids as headers. If the client disconnects, the run is cancelled, unless
 * it outlives its connection.
 */
export async function beginRun({ exchange, service, requested, terms }: RunCall): Promise<ServedRun> {
  service.closeIfDraining(exchange);
  const { servedRuns } = service;
  if (servedRuns.stores(terms)) {
    // The request's idempotency key may identify a run that is already stored. The ids in these headers would then
    // belong to a run that never begins.
    exchange.removeHeader("X-Run-Id");
    exchange.removeHeader("X-Session-Id");
  }
  const beginning = servedRuns.begin(requested, terms);
  exchange.record.run = beginning;
  const run = await beginning;
  showIds(exchange, run);
  exchange.onLeave(() => run.disconnect());
  return run;
}

/** Sends the ids of a run as headers, and the path of a stored run. */
function showIds(exchange: Exchange, { runId, sessionId, isStored }: ServedRun): void {
  exchange.record.runId = runId;
  exchange.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  if (isStored) exchange.setHeader("Content-Location", pathOfRun(exchange, runId));
}

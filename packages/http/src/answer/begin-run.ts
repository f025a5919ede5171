import type { RequestedRun, RunTerms, ServedRun, Service } from "@troupe/core/transport";
import type { Exchange } from "@troupe/core/transport";
import { pathOfRun } from "./run-ids.ts";

/** A request for a run that has been read and checked, and the terms of its delivery. */
export type RunCall = {
  readonly exchange: Exchange;
  readonly service: Service;
  readonly requested: RequestedRun<unknown, unknown>;
  readonly terms: RunTerms;
  /** True if the client wants the ids of the run before its answer. */
  readonly early: boolean;
};

/**
 * Begins the run of a request, and sends its ids as headers with the answer. When the client disconnects, the run is
 * cancelled, unless it outlives its connection.
 */
export async function beginRun({ exchange, service, requested, terms }: RunCall): Promise<ServedRun> {
  service.closeIfDraining(exchange);
  const { servedRuns } = service;
  if (servedRuns.stores(terms)) {
    // Those of the request are of a run that may never be.
    exchange.removeHeader("X-Run-Id");
    exchange.removeHeader("X-Session-Id");
  }
  const beginning = servedRuns.begin(requested, terms);
  // Noted before: the client may leave meanwhile, and the run hold what its request brought all the same.
  exchange.record.runEnd = endOf(beginning);
  const run = await beginning;
  showIds(exchange, run);
  endWithClient(exchange, run);
  return run;
}

/** Sends the ids of a run as headers, and the path of a stored one. */
function showIds(exchange: Exchange, { runId, sessionId, isStored }: ServedRun): void {
  exchange.record.runId = runId;
  exchange.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  if (isStored) exchange.setHeader("Content-Location", pathOfRun(exchange, runId));
}

/** Lets go of a run when its client disconnects before the end of the answer. */
export function endWithClient(exchange: Exchange, run: ServedRun): void {
  if (exchange.isDestroyed) return run.disconnect();
  exchange.onClose(() => {
    if (!exchange.isFinished) run.disconnect();
  });
}

/**
 * Resolves when a run of this process that is being begun has ended. If it is live, or not of this process, resolves
 * once it is begun. Never rejects.
 */
async function endOf(beginning: Promise<ServedRun>): Promise<void> {
  await beginning.then(
    async (run) => (run.isStored ? await run.over : undefined),
    () => undefined,
  );
}

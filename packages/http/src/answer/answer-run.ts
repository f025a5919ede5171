import { RunError } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { toPublicWait } from "@troupe/core/transport";
import type { Exchange, PublicRun, ServedRun, SettledRun } from "@troupe/core/transport";
import { prefersAsync } from "../request/read-delivery.ts";
import { beginRun } from "./begin-run.ts";
import type { RunCall } from "./begin-run.ts";
import { pathOfRun, sendEarlyHints } from "./run-ids.ts";

/** The body of a 202 answer to a run that continues without its client: its ids, its status, and its open questions. */
export type AcceptedBody = Pick<PublicRun, "runId" | "sessionId" | "status" | "waits">;

/**
 * Runs an agent, a team or a workflow and sends its output as JSON. For a stored run, sends a 202 immediately if the
 * client prefers that, or as soon as the run waits. If the run fails, rejects without sending anything: the caller
 * sends the error.
 */
export async function answerRun(call: RunCall): Promise<void> {
  const { exchange } = call;
  const run = await beginRun(call);
  if (run.isStored && prefersAsync(exchange)) {
    exchange.setHeader("Preference-Applied", "respond-async");
    return sendAccepted(exchange, await run.view());
  }
  if (call.early) sendEarlyHints(exchange, run);
  const settled = await settle(run, call);
  // The client may have disconnected while the run continued.
  if (settled === undefined || exchange.isDestroyed) return;
  if (settled.waiting !== undefined) sendAccepted(exchange, settled.waiting);
  else exchange.sendJson(200, settled.output);
}

/** Resolves when a run has ended or needs an answer, and records its tokens for the request log. */
async function settle(run: ServedRun, { exchange, service }: RunCall): Promise<SettledRun | undefined> {
  try {
    const settled = await run.settled();
    if (settled?.output !== undefined) exchange.recordUsage(settled.output.usage);
    return settled;
  } catch (error) {
    if (error instanceof RunError) exchange.recordUsage(error.output.usage);
    throw error;
  } finally {
    service.closeIfDraining(exchange);
  }
}

function sendAccepted(exchange: Exchange, { runId, sessionId, status, waits }: RunView): void {
  exchange.setHeader("Location", pathOfRun(exchange, runId)).setHeader("Retry-After", 1);
  const body: AcceptedBody = { runId, sessionId, status, ...(waits && { waits: waits.map(toPublicWait) }) };
  exchange.sendJson(202, body);
}

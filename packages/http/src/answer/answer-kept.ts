import type { TokenUsage, WorkflowResult } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { toPublicOutput, toPublicResult, toPublicWait, toRunError } from "@troupe/core/transport";
import type { FollowedRun, KeptRun, KeptRunEnd, PublicOutput, PublicRun, RunTarget } from "@troupe/core/transport";
import type { Exchange } from "../exchange/exchange.ts";
import { recordUsage, requestRecordOf } from "../exchange/request-record.ts";
import { sendJson } from "../exchange/send-json.ts";
import { prefersAsync, readLastEventId } from "../request/read-delivery.ts";
import type { RunRequest } from "../request/read-run-request.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { answerTail, followRun } from "./answer-tail.ts";
import { closeIfDraining } from "./http-run.ts";
import { pathOfRun, sendEarlyHints } from "./run-ids.ts";
import type { RunIds } from "./run-ids.ts";

/** A request whose run is kept by a service: the request, its target, and the settings of the router. */
export type KeptCall = {
  readonly exchange: Exchange;
  readonly runRequest: RunRequest<unknown, unknown>;
  readonly target: RunTarget;
  readonly settings: RouterSettings;
};

/** The answer while a run goes on without its client: its ids and status, and what it waits for. */
export type AcceptedBody = Pick<PublicRun, "runId" | "sessionId" | "status" | "waits">;

/** Accepts a run and sends its output once it is over, or a 202 at once if the client prefers it, or when the run waits. */
export async function answerKeptRun(call: KeptCall): Promise<void> {
  const { exchange, target, settings } = call;
  const run = await acceptKept(call);
  if (prefersAsync(exchange.request)) {
    exchange.response.setHeader("Preference-Applied", "respond-async");
    return sendAccepted(exchange, await target.service.get(run.runId, run.caller));
  }
  if (call.runRequest.query.early) sendEarlyHints(exchange, run);
  const tail = followRun(exchange, run, settings);
  const stopWatching = watchClient(call.exchange, { run, endsWithClient: call.runRequest.query.endsWithClient });
  try {
    const paused = await tail.untilPaused();
    if (paused === undefined || exchange.response.destroyed) return;
    if ("status" in paused && paused.status === "waiting") sendAccepted(exchange, paused);
    else sendOutput(exchange, run, paused);
  } finally {
    tail.end();
    stopWatching();
  }
}

/** Accepts a run and sends its events, or those behind `Last-Event-ID` of a run that the client has begun before. */
export async function answerKeptStream(call: KeptCall): Promise<void> {
  const { exchange, runRequest, settings } = call;
  const run = await acceptKept(call);
  const after = readLastEventId(exchange.request);
  if (after !== undefined) {
    const { service, runId, caller } = run;
    settings.servedRuns.checkKept({ service, run: await service.get(runId, caller) });
  }
  const tail = followRun(exchange, { ...run, after }, settings);
  const stopWatching = watchClient(call.exchange, { run, endsWithClient: call.runRequest.query.endsWithClient });
  try {
    const { early } = runRequest.query;
    const own = { ...runRequest.opts, runId: run.runId };
    await answerTail(tail, exchange, { heartbeatMs: settings.heartbeatMs, early, isWhole: false, own });
  } finally {
    tail.end();
    stopWatching();
  }
}

/** Has the service of a request accept its run, and sets the ids and the place of the run as headers. */
export async function acceptKept(call: KeptCall): Promise<FollowedRun & RunIds> {
  const { exchange, runRequest, target, settings } = call;
  const { request, response } = exchange;
  // Express keeps its way to this route there: memory that would be held for as long as the answer lasts.
  (request as { next?: unknown }).next = undefined;
  closeIfDraining(exchange, settings);
  settings.servedRuns.checkOpen();
  // Those of the request are of a run that may never be.
  response.removeHeader("X-Run-Id");
  response.removeHeader("X-Session-Id");
  const accepting = settings.servedRuns.accept(runRequest, target);
  // Noted before: the client may leave meanwhile, and the run hold what its request brought all the same.
  const record = Object.assign(requestRecordOf(response), { runEnd: endOf(accepting) });
  const { runId, sessionId } = await accepting;
  record.runId = runId;
  response.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  response.setHeader("Content-Location", pathOfRun(request, runId));
  return { service: target.service, runId, sessionId, kind: target.kind, caller: runRequest.owner };
}

/** Resolves at the end of a run of this process that is being accepted; with the acceptance, where there is none to hold anything. */
async function endOf(accepting: Promise<KeptRun>): Promise<void> {
  await accepting.then(
    async ({ over }) => await over,
    () => undefined,
  );
}

/** Cancels a run when its client disconnects, if it ends with its client. Returns the function that ends this. */
export function watchClient(
  { response }: Exchange,
  { run, endsWithClient }: { run: FollowedRun; endsWithClient: boolean },
): () => void {
  if (!endsWithClient) return () => undefined;
  const cancel = (): void => {
    if (response.writableFinished) return;
    void run.service.cancel(run.runId, run.caller, "The client disconnected.").catch(() => undefined);
  };
  response.once("close", cancel);
  if (response.destroyed) cancel();
  return () => response.off("close", cancel);
}

function sendAccepted({ request, response }: Exchange, { runId, sessionId, status, waits }: RunView): void {
  response.setHeader("Location", pathOfRun(request, runId)).setHeader("Retry-After", 1);
  const body: AcceptedBody = { runId, sessionId, status, ...(waits && { waits: waits.map(toPublicWait) }) };
  sendJson(response, 202, body);
}

function sendOutput({ response }: Exchange, { runId, kind }: FollowedRun, end: KeptRunEnd | RunView): void {
  if (end.error !== undefined) throw toRunError(end.error, runId, end.output);
  const output: { usage: TokenUsage } =
    kind === "workflow"
      ? toPublicResult(end.output as unknown as WorkflowResult<object>)
      : toPublicOutput(end.output as unknown as PublicOutput);
  recordUsage(response, output.usage);
  sendJson(response, 200, output);
}

import { RunError } from "@troupe/core";
import type { TokenUsage } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { EventStream, toPublicEvent, toPublicFailure } from "@troupe/core/transport";
import type { EventRange, Exchange, FailedRun, FailureEvent, ServedEvent, ServedRun } from "@troupe/core/transport";
import { readLastEventId } from "../request/read-delivery.ts";
import { beginRun } from "./begin-run.ts";
import type { RunCall } from "./begin-run.ts";

/** Options of sending the events of a run. */
export type StreamOptions = EventRange & {
  readonly heartbeatMs: number;
  /** True to send the head of the stream without waiting for an event. */
  readonly early: boolean;
  /** The request's own run. Its failure is the answer of the request, with a status if nothing was sent. */
  readonly own?: FailedRun | undefined;
};

/** An event that is passed on to the client. */
type PassedEvent = Exclude<ServedEvent, FailureEvent>;

/** A failure that ends a stream. Its id is null if the run itself did not fail. */
type StreamFailure = Pick<FailureEvent, "error"> & { readonly id?: string | null | undefined };

/**
 * Runs an agent, a team or a workflow and sends its events. With `Last-Event-ID`, sends only the later events of a run
 * that the client began before.
 */
export async function answerStream(call: RunCall): Promise<void> {
  const { exchange, service, requested, early } = call;
  const run = await beginRun(call);
  const after = run.isStored ? readLastEventId(exchange) : undefined;
  if (run.isStored && after !== undefined) run.checkReadable(await run.view());
  const own = run.isStored ? { ...requested.opts, runId: run.runId } : requested.opts;
  // Not awaited: a thousand open streams would each hold what was read of their requests.
  return sendEvents(run, exchange, { heartbeatMs: service.settings.heartbeatMs, early, after, own });
}

/**
 * Sends the events of a run after those that the client has seen, no faster than the client reads. The stream stays
 * open while the run waits. Rejects with a failure as long as it can be answered with a status; later ones are sent as
 * the last event, of type `error`. If no events are left, sends a 204, after which browsers stop asking.
 */
export async function sendEvents(run: ServedRun, exchange: Exchange, options: StreamOptions): Promise<void> {
  const events = new EventStream(exchange, { heartbeatMs: options.heartbeatMs, signal: run.signal });
  const answer = { run, exchange, events, options };
  let failure: StreamFailure | undefined;
  try {
    const given = run.events(options);
    // Only after a live run has checked its options, because wrong options are answered with their own status.
    if (options.early) events.sendHead();
    for await (const event of given) {
      if (event.type === "failure") failure = event;
      const drained = event.type === "failure" ? undefined : send(event, answer);
      if (drained !== undefined) await drained;
    }
  } catch (thrown) {
    failure = { error: toTroupeError(thrown), id: null };
  }
  finish(failure, answer);
}

/** A run whose events are on their way to its client. */
type StreamAnswer = {
  readonly run: ServedRun;
  readonly exchange: Exchange;
  readonly events: EventStream;
  readonly options: StreamOptions;
};

/** Sends an event, if its client may see it. Returns a promise if the client is behind. */
function send(event: PassedEvent, { run, exchange, events, options }: StreamAnswer): Promise<void> | undefined {
  const { kind, runId } = run;
  const data = toPublicEvent(event, { kind, runId, isWhole: options.isWhole });
  if (data === undefined) return undefined;
  noteUsage(event, exchange);
  // Without an id of a log, the events are numbered.
  return events.send(data, event.id);
}

/** Ends the stream, or throws the failure that is answered with a status. */
function finish(failure: StreamFailure | undefined, { exchange, events, options: { own } }: StreamAnswer): void {
  if (failure?.error instanceof RunError) exchange.recordUsage(failure.error.output.usage);
  if (!events.isHeadSent && isWithoutEvents(failure, own)) {
    events.abandon();
    if (failure !== undefined) throw failure.error;
    if (!exchange.isDestroyed) exchange.send(204, { "Cache-Control": "no-store" });
    return;
  }
  if (failure !== undefined) {
    if (own !== undefined && failure.error.code !== "interrupted") exchange.logFailure(failure.error, own);
    void events.send({ type: "error", error: toPublicFailure(failure.error) }, failure.id);
  }
  events.close();
}

/** Returns true if an answer without events has a status of its own: no content, or that of its failure. */
function isWithoutEvents(failure: StreamFailure | undefined, own: FailedRun | undefined): boolean {
  return failure === undefined ? own === undefined : isAnswer(failure, own);
}

/**
 * Returns true for a failure that is answered with a status, as long as nothing was sent: one of the request's own run
 * or of the service. A text that is about to be made again also ends a stream; its event id lets the client continue,
 * so it is sent as an event.
 */
function isAnswer({ id, error }: StreamFailure, own: FailedRun | undefined): boolean {
  return typeof id !== "string" || (own !== undefined && error.code !== "interrupted");
}

/** Notes the tokens of a run for the log of the request. */
function noteUsage(event: PassedEvent, exchange: Exchange): void {
  if (event.type !== "chunk" || event.chunk.type !== "finish") return;
  const { usage, result } = event.chunk as { usage?: TokenUsage; result?: { usage: TokenUsage } };
  const used = usage ?? result?.usage;
  if (used !== undefined) exchange.recordUsage(used);
}

import { RunError } from "@troupe/core";
import type { TokenUsage } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { EventStream, toPublicEvent, toPublicFailure } from "@troupe/core/transport";
import type { EventRange, Exchange, FailedRun, FailureEvent, ServedEvent, ServedRun } from "@troupe/core/transport";
import { readLastEventId } from "../request/read-delivery.ts";
import { beginRun } from "./begin-run.ts";
import type { RunCall } from "./begin-run.ts";

/** Options for sending the events of a run. */
export type StreamOptions = EventRange & {
  readonly heartbeatMs: number;
  /** True to send the response head at once, without waiting for an event. */
  readonly early: boolean;
  /** The run that the request began. Its failure is answered with an error status if nothing was sent before. */
  readonly own?: FailedRun | undefined;
};

/** An event that is sent to the client. */
type PassedEvent = Exclude<ServedEvent, FailureEvent>;

/** A failure that ends a stream. Its id is null if something other than the run has failed. */
type StreamFailure = Pick<FailureEvent, "error"> & { readonly id?: string | null | undefined };

/**
 * Runs an agent, a team or a workflow and sends its events. With `Last-Event-ID`, sends the later events of a run
 * that the client began earlier.
 */
export async function answerStream(call: RunCall): Promise<void> {
  const { exchange, service, requested, early } = call;
  const run = await beginRun(call);
  const after = run.isStored ? readLastEventId(exchange) : undefined;
  if (run.isStored && after !== undefined) run.checkReadable(await run.view());
  const own = run.isStored ? { ...requested.opts, runId: run.runId } : requested.opts;
  // The sending is not awaited, so that an open stream does not keep its parsed request in memory.
  return sendEvents(run, exchange, { heartbeatMs: service.settings.heartbeatMs, early, after, own });
}

/**
 * Sends the events of a run after the events that the client has seen, no faster than the client reads. The stream
 * stays open while the run waits. Rejects with a failure that can still be answered with an error status. A later
 * failure is sent as the last event, of type `error`. If no events are left, sends a 204, which stops browsers from
 * reconnecting.
 */
export async function sendEvents(run: ServedRun, exchange: Exchange, options: StreamOptions): Promise<void> {
  const events = new EventStream(exchange, { heartbeatMs: options.heartbeatMs, signal: run.signal });
  const answer = { run, exchange, events, options };
  let failure: StreamFailure | undefined;
  try {
    const given = run.events(options);
    // The response head is sent only after a live run has checked its options, because wrong options are answered with
    // an error status.
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

/** A run whose events are being sent, and its client. */
type StreamAnswer = {
  readonly run: ServedRun;
  readonly exchange: Exchange;
  readonly events: EventStream;
  readonly options: StreamOptions;
};

/** Sends an event if the client may see it. Returns a promise if the client reads too slowly. */
function send(event: PassedEvent, { run, exchange, events, options }: StreamAnswer): Promise<void> | undefined {
  const { kind, runId } = run;
  const data = toPublicEvent(event, { kind, runId, isWhole: options.isWhole });
  if (data === undefined) return undefined;
  noteUsage(event, exchange);
  // The run has no log, so its events have no ids and are numbered.
  return events.send(data, event.id);
}

/** Ends the stream, or throws a failure that is to be answered with an error status. */
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

/** Returns true if an answer without events has its own status: 204, or the status of the failure. */
function isWithoutEvents(failure: StreamFailure | undefined, own: FailedRun | undefined): boolean {
  return failure === undefined ? own === undefined : isAnswer(failure, own);
}

/**
 * Returns true for a failure that is answered with an error status if nothing was sent before: a failure of the
 * request's own run or of the service. An `interrupted` run is no such failure: it is sent as an event, and the event's
 * id lets the client continue.
 */
function isAnswer({ id, error }: StreamFailure, own: FailedRun | undefined): boolean {
  return typeof id !== "string" || (own !== undefined && error.code !== "interrupted");
}

/** Records the tokens of a run for the request log. */
function noteUsage(event: PassedEvent, exchange: Exchange): void {
  if (event.type !== "chunk" || event.chunk.type !== "finish") return;
  const { usage, result } = event.chunk as { usage?: TokenUsage; result?: { usage: TokenUsage } };
  const used = usage ?? result?.usage;
  if (used !== undefined) exchange.recordUsage(used);
}

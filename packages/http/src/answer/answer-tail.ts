import type { TroupeError } from "@troupe/core";
import type { TokenUsage } from "@troupe/core";
import type { RunEvent } from "@troupe/core/runs";
import { toTroupeError } from "@troupe/core/kit";
import { toPublicEvent, toStreamFailure, toPublicFailure } from "@troupe/core/transport";
import type { ClientTail, FollowedRun } from "@troupe/core/transport";
import { logFailure } from "../errors/log-failure.ts";
import type { FailedRun } from "../errors/log-failure.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { recordUsage } from "../exchange/request-record.ts";
import { EventStream } from "./event-stream.ts";

/** The form in which a client wants the events of a kept run. */
export type TailOptions = {
  readonly heartbeatMs: number;
  /** True if the head of the stream is sent without waiting for an event. */
  readonly early: boolean;
  /** True for a client that wants the events of the journal too, and can take back the text of a step. */
  readonly isWhole: boolean;
  /** The run, where it is the request's own: its failure is the request's, with a status if nothing was sent. */
  readonly own?: FailedRun | undefined;
};

/** The failure that ends a stream. Its id is that of the event that says so, `null` for a failure that is none of the run's. */
type TailFailure = { readonly error: TroupeError; readonly id: string | null };

type Answer = { readonly tail: ClientTail; readonly exchange: Exchange; readonly events: EventStream };

/** Follows a kept run until its client disconnects. Call the tail's `end` when the answer is over. */
export function followRun({ response }: Exchange, run: FollowedRun, { servedRuns }: RouterSettings): ClientTail {
  const tail = servedRuns.follow(run);
  response.once("close", tail.leave);
  if (response.destroyed) tail.leave();
  return tail;
}

/**
 * Sends the events of a kept run behind those that the client has seen, and keeps the stream open while the run waits. Rejects
 * with a failure that is the answer. A request for the events of a run that has none left gets a 204, at which browsers stop
 * asking.
 */
export async function answerTail(tail: ClientTail, exchange: Exchange, options: TailOptions): Promise<void> {
  const { response } = exchange;
  const { heartbeatMs, early, own } = options;
  const events = new EventStream(response, { heartbeatMs, signal: tail.signal });
  if (early) events.sendHead();
  const failure = await sendEvents({ tail, exchange, events }, options.isWhole);
  if (!events.isHeadSent && (failure === undefined ? own === undefined : isAnswer(failure, options))) {
    events.abandon();
    if (failure !== undefined) throw failure.error;
    if (!response.destroyed) response.writeHead(204, { "Cache-Control": "no-store" }).end();
    return;
  }
  if (failure !== undefined) {
    if (own !== undefined && failure.error.code !== "interrupted") logFailure(failure.error, exchange, own);
    void events.send({ type: "error", error: toPublicFailure(failure.error) }, failure.id);
  }
  events.close();
}

/**
 * A failure of the request's own run, and one of the service, have a status of their own as long as nothing was sent. Not the
 * end before text that is made anew: its id says from where the client can go on.
 */
function isAnswer({ id, error }: TailFailure, { own }: TailOptions): boolean {
  return id === null || (own !== undefined && error.code !== "interrupted");
}

async function sendEvents({ tail, exchange, events }: Answer, isWhole: boolean): Promise<TailFailure | undefined> {
  const shown = { ...tail.run, isWhole };
  try {
    for (let event = await tail.next(); event !== undefined; event = await tail.next()) {
      const error = toStreamFailure(event, shown);
      if (error !== undefined) return { error, id: event.id };
      const data = toPublicEvent(event, shown);
      if (data === undefined) continue;
      noteUsage(event, exchange);
      const drained = events.send(data, event.id);
      if (drained !== undefined) await drained;
    }
    return undefined;
  } catch (thrown) {
    return { error: toTroupeError(thrown), id: null };
  }
}

/** Notes the tokens of a run for the log of the request. */
function noteUsage(event: RunEvent, { response }: Exchange): void {
  if (event.type !== "chunk" || event.chunk.type !== "finish") return;
  const { usage, result } = event.chunk as { usage?: TokenUsage; result?: { usage: TokenUsage } };
  const used = usage ?? result?.usage;
  if (used !== undefined) recordUsage(response, used);
}

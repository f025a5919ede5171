import type { StreamChunk, TroupeError, WorkflowChunk } from "@troupe/core";
import { toPublicError } from "@troupe/core/adapter";
import { reportFailure } from "../errors/report-failure.ts";
import type { Exchange, RunCall, RunnableCall, WorkflowCall } from "../exchange.ts";
import { noteUsage } from "../request-record.ts";
import { ClientRun } from "./client-run.ts";
import { EventStream } from "./event-stream.ts";
import { toPublicChunk, toPublicWorkflowChunk } from "./to-public-chunk.ts";
import { untilRoom } from "./until-room.ts";

/** Runs an agent or a team and sends what it streams. Rejects with what is to be sent instead, as long as nothing was. */
export function answerStream(exchange: Exchange, call: RunnableCall): Promise<void> {
  const { subject, input, opts } = call;
  return answer<StreamChunk>(exchange, call, (signal) => ({
    chunks: subject.stream(input, { ...opts, signal }),
    toPublic(chunk) {
      if (chunk.type === "finish" && chunk.usage !== undefined) noteUsage(exchange.response, chunk.usage);
      return toPublicChunk(chunk);
    },
  }));
}

/** Runs a workflow and sends what happens in it. Rejects with what is to be sent instead, as long as nothing was. */
export function answerWorkflowStream(exchange: Exchange, call: WorkflowCall): Promise<void> {
  const { subject, input, opts } = call;
  return answer<WorkflowChunk<object>>(exchange, call, (signal) => ({
    chunks: subject.stream({ ...opts, signal, ...(input !== undefined && { input }) }),
    toPublic(chunk) {
      if (chunk.type === "finish") noteUsage(exchange.response, chunk.result.usage);
      return toPublicWorkflowChunk(chunk);
    },
  }));
}

type Source<Chunk> = {
  chunks: AsyncIterable<Chunk>;
  /** What a client sees of a chunk, if anything. */
  toPublic: (chunk: Chunk) => object | undefined;
};

type Call = Pick<RunCall<unknown, unknown>, "opts" | "owner">;

/**
 * Sends all chunks at the reader's pace. When the reader has left and the run goes on, they go nowhere. In one piece, for
 * what it holds it holds for as long as the stream lasts.
 */
async function answer<Chunk>(
  exchange: Exchange,
  call: Call,
  open: (signal: AbortSignal) => Source<Chunk>,
): Promise<void> {
  const { request, response, settings } = exchange;
  // Express keeps its whole way to this route there, for whoever might go on; nobody will.
  (request as { next?: unknown }).next = undefined;
  const run = new ClientRun(exchange, call);
  const events = new EventStream(response, settings.heartbeatMs);
  run.presence.knockWith(() => (events.isOpen ? events.beat() : response.writeProcessing()));
  try {
    const { chunks, toPublic } = open(run.signal);
    for await (const chunk of chunks) {
      const shown = toPublic(chunk);
      const room = shown && events.send(JSON.stringify(shown));
      if (room !== undefined) await untilRoom(room, run.signal);
    }
  } catch (thrown) {
    tellFailure(exchange, events, run.fail(thrown));
  } finally {
    run.end();
  }
  events.close();
}

/** Ends the stream with the failure, or leaves it to others to tell when nothing has gone out yet. */
function tellFailure({ request, requestId, settings, opts }: Exchange, events: EventStream, error: TroupeError): void {
  if (!events.isOpen) {
    events.abandon();
    throw error;
  }
  reportFailure(error, { logger: settings.logger, request, requestId, opts });
  void events.send(JSON.stringify({ type: "error", error: toPublicError(error) }));
}

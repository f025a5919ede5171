import type { StreamChunk, WorkflowChunk } from "@troupe/core";
import { toPublicError, toTroupeError } from "@troupe/core/adapter";
import { reportFailure } from "../errors/report-failure.ts";
import type { Exchange, RunCall, RunnableCall, WorkflowCall } from "../exchange.ts";
import { noteUsage } from "../request-record.ts";
import { ClientRun } from "./client-run.ts";
import { EventStream } from "./event-stream.ts";
import { toPublicChunk, toPublicWorkflowChunk } from "./to-public-chunk.ts";
import { untilRoom } from "./until-room.ts";

/** Runs an agent or a team and sends what it streams. Rejects with what is to be sent instead, as long as nothing was. */
export async function answerStream(exchange: Exchange, call: RunnableCall): Promise<void> {
  const { subject, input, opts } = call;
  await answer<StreamChunk>(exchange, call, (signal) => ({
    chunks: subject.stream(input, { ...opts, signal }),
    toPublic(chunk) {
      if (chunk.type === "finish" && chunk.usage !== undefined) noteUsage(exchange.response, chunk.usage);
      return toPublicChunk(chunk);
    },
  }));
}

/** Runs a workflow and sends what happens in it. Rejects with what is to be sent instead, as long as nothing was. */
export async function answerWorkflowStream(exchange: Exchange, call: WorkflowCall): Promise<void> {
  const { subject, input, opts } = call;
  await answer<WorkflowChunk<object>>(exchange, call, (signal) => ({
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

async function answer<Chunk>(
  exchange: Exchange,
  call: Call,
  open: (signal: AbortSignal) => Source<Chunk>,
): Promise<void> {
  const { request, response, requestId, settings } = exchange;
  const run = new ClientRun(exchange, call);
  const events = new EventStream(response, settings.heartbeatMs);
  run.presence.knockWith(() => (events.isOpen ? events.beat() : response.writeProcessing()));
  try {
    await run.during(() => pour(open(run.signal), events, run.signal));
  } catch (thrown) {
    if (!events.isOpen) {
      events.abandon();
      throw thrown;
    }
    const error = toTroupeError(thrown);
    reportFailure(error, { logger: settings.logger, request, requestId, opts: call.opts });
    void events.send(JSON.stringify({ type: "error", error: toPublicError(error) }));
  }
  events.close();
}

/** Sends all chunks at the reader's pace. When the reader has left and the run goes on, they go nowhere. */
async function pour<Chunk>(
  { chunks, toPublic }: Source<Chunk>,
  events: EventStream,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of chunks) {
    const shown = toPublic(chunk);
    const room = shown && events.send(JSON.stringify(shown));
    if (room !== undefined) await untilRoom(room, signal);
  }
}

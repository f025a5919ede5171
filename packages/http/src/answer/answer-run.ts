import type { MessageContent, Runnable, StreamChunk, TokenUsage, TroupeError, WorkflowChunk } from "@troupe/core";
import {
  completeOutput,
  toPublicChunk,
  toPublicOutput,
  toPublicResult,
  toPublicWorkflowChunk,
  toPublicFailure,
} from "@troupe/core/transport";
import type { ServedWorkflow } from "@troupe/core/transport";
import { logFailure } from "../errors/log-failure.ts";
import { recordUsage } from "../exchange/request-record.ts";
import { sendJson } from "../exchange/send-json.ts";
import { EventStream } from "./event-stream.ts";
import type { HttpRun } from "./http-run.ts";
import { sendEarlyHints } from "./run-ids.ts";

/** A run of an agent or a team that a client has requested. */
export type RunnableRun = HttpRun<Runnable, MessageContent>;

/** A run of a workflow that a client has requested. Without an input it starts from the workflow's initial state. */
export type WorkflowRun = HttpRun<ServedWorkflow, object | string | undefined>;

/**
 * Runs an agent or a team to its end and sends its output as JSON. If the run fails, nothing is sent and the promise
 * rejects with the error, for the caller to send.
 */
export function answerRun(run: RunnableRun): Promise<void> {
  const { subject, input, opts } = run.runRequest;
  const startedAt = performance.now();
  return answer(run, async () => {
    const output = await subject.run(input, { ...opts, signal: run.signal });
    return toPublicOutput(completeOutput(output, opts, startedAt));
  });
}

/**
 * Runs a workflow to its end and sends its result as JSON. If the run fails, nothing is sent and the promise rejects
 * with the error, for the caller to send.
 */
export function answerWorkflow(run: WorkflowRun): Promise<void> {
  const { subject } = run.runRequest;
  return answer(run, async () => toPublicResult(await subject.run(workflowOpts(run))));
}

/**
 * Runs an agent or a team and sends its chunks as server-sent events. A failure rejects, for the caller to send, as
 * long as nothing was sent; later it is sent as the last event, of type `error`.
 */
export function answerStream(run: RunnableRun): Promise<void> {
  const { subject, input, opts } = run.runRequest;
  const { response } = run.exchange;
  return answerWithEvents<StreamChunk>(run, {
    start: () => subject.stream(input, { ...opts, signal: run.signal }),
    toPublic(chunk) {
      if (chunk.type === "finish" && chunk.usage !== undefined) recordUsage(response, chunk.usage);
      return toPublicChunk(chunk);
    },
  });
}

/**
 * Runs a workflow and sends its steps and chunks as server-sent events. A failure rejects, for the caller to send, as
 * long as nothing was sent; later it is sent as the last event, of type `error`.
 */
export function answerWorkflowStream(run: WorkflowRun): Promise<void> {
  const { subject } = run.runRequest;
  const { response } = run.exchange;
  return answerWithEvents<WorkflowChunk<object>>(run, {
    start: () => subject.stream(workflowOpts(run)),
    toPublic(chunk) {
      if (chunk.type === "finish") recordUsage(response, chunk.result.usage);
      return toPublicWorkflowChunk(chunk);
    },
  });
}

type AnyRun = HttpRun<unknown, unknown>;

/** The chunks of a streamed run, and what a client may see of each. */
type ChunkSource<Chunk> = {
  start: () => AsyncIterable<Chunk>;
  toPublic: (chunk: Chunk) => object | undefined;
};

/** Sends the output of a run as JSON, once the run is over. */
async function answer(run: AnyRun, start: () => Promise<{ usage: TokenUsage }>): Promise<void> {
  const { response } = run.exchange;
  let output: { usage: TokenUsage };
  try {
    if (run.runRequest.query.early) sendEarlyHints(run.exchange, run.runRequest.opts);
    output = await start();
  } catch (thrown) {
    throw run.fail(thrown);
  } finally {
    run.end();
  }
  recordUsage(response, output.usage);
  // The client of a run that went on may have disconnected.
  if (!response.destroyed) sendJson(response, 200, output);
}

/** Sends the chunks of a run as events, at the pace of their reader. */
async function answerWithEvents<Chunk>(run: AnyRun, { start, toPublic }: ChunkSource<Chunk>): Promise<void> {
  const { exchange, settings, signal } = run;
  // Express keeps its way to this route there: memory that would be held for as long as the stream lasts.
  (exchange.request as { next?: unknown }).next = undefined;
  const events = new EventStream(exchange.response, { heartbeatMs: settings.heartbeatMs, signal });
  try {
    const chunks = start();
    // After the run has checked its options: what is wrong with them has a status of its own.
    if (run.runRequest.query.early) events.sendHead();
    for await (const chunk of chunks) {
      const shown = toPublic(chunk);
      const drained = shown && events.send(shown);
      if (drained !== undefined) await drained;
    }
  } catch (thrown) {
    sendStreamFailure(run, events, run.fail(thrown));
  } finally {
    run.end();
  }
  events.close();
}

/** Ends a stream with an error event, or throws the error if nothing has been sent yet. */
function sendStreamFailure({ exchange, runRequest }: AnyRun, events: EventStream, error: TroupeError): void {
  if (!events.isHeadSent) {
    events.abandon();
    throw error;
  }
  logFailure(error, exchange, runRequest.opts);
  void events.send({ type: "error", error: toPublicFailure(error) });
}

function workflowOpts({ runRequest: { input, opts }, signal }: WorkflowRun) {
  return { ...opts, signal, ...(input !== undefined && { input }) };
}

import { toTroupeError } from "@troupe/core/kit";
import { RunError } from "@troupe/core";
import type { RunWait, StreamChunk, TokenUsage } from "@troupe/core";
import { EventStream } from "@troupe/core/transport";
import type { Exchange, FailedRun, ServedRun } from "@troupe/core/transport";
import type { ServedModel } from "../models/served-models.ts";
import type { ApiParts } from "../run/api-parts.ts";
import { waitingTools } from "../run/begin-run.ts";
import type { AskedCall } from "../run/calls.ts";
import { readPart, replayPart } from "../run/part-events.ts";
import { PartUsage } from "../run/part-usage.ts";
import type { PartEvent, PartStart } from "../run/part-events.ts";
import { outputOf } from "../run/run-output.ts";
import type { StoredPart } from "../run/run-parts.ts";
import type { ShownOutput } from "../run/run-output.ts";
import { apiError } from "../wire/api-error.ts";
import { toResponseId } from "../wire/ids.ts";
import { newResponse } from "./response-object.ts";
import type { RequestEcho } from "./response-object.ts";
import { ResponseWriter } from "./response-writer.ts";
import type { ResponseEvent } from "./response-writer.ts";

/** A run, or one part of a run between two waits for its client, that is sent as a response. */
export type ResponseAnswer = {
  readonly exchange: Exchange;
  readonly parts: ApiParts;
  readonly model: Pick<ServedModel, "id"> & Partial<ServedModel>;
  readonly run: ServedRun;
  readonly part: number;
  readonly start: PartStart;
  readonly echo: RequestEcho;
  readonly createdAt: number;
  readonly clientTools: ReadonlySet<string>;
  readonly asked?: ReadonlyMap<string, AskedCall> | undefined;
  /** The parts of the run before this part, whose usage belongs to other responses. */
  readonly before?: readonly StoredPart[] | undefined;
  /** Epoch milliseconds at which the part ended, for a client that reads the response later. */
  readonly endedAt?: number | undefined;
  /**
   * The run that the request began. Its failure is logged, and answered with an error status if nothing was sent
   * before.
   */
  readonly own?: FailedRun | undefined;
  /** The part, if an answer of the client has ended it: later parts of the run belong to other responses. */
  readonly past?: StoredPart | undefined;
  /** The sequence number of the last event that the client has received. */
  readonly after?: number | undefined;
};

/** Makes the writer of a response. */
export function writerOf(answer: ResponseAnswer, send: (event: ResponseEvent) => void): ResponseWriter {
  const { model, run, part, echo, createdAt, clientTools, asked, before, endedAt } = answer;
  const { runId, sessionId } = run;
  const response = newResponse({ id: toResponseId({ sessionId, runId, part }), model: model.id, createdAt }, echo);
  const approvals = model.subject === undefined ? new Set<string>() : waitingTools(model as ServedModel).approvals;
  const held = new Set([...approvals, ...clientTools]);
  const prefix = `${runId.replaceAll("-", "")}${String(part).padStart(2, "0")}`;
  const used = new PartUsage(before);
  return new ResponseWriter(response, { runId, prefix, held, clientTools, asked, used, endedAt }, send);
}

/**
 * Sends a response as the events of a stream. A failure before the first event is answered with the error's HTTP
 * status.
 */
export async function streamResponse(answer: ResponseAnswer): Promise<void> {
  const { exchange, parts, run, own, past, after = -1 } = answer;
  const events = new EventStream(exchange, { heartbeatMs: parts.service.settings.heartbeatMs, signal: run.signal });
  const pending: ResponseEvent[] = [];
  const writer = writerOf(answer, (event) => {
    if (event.sequence_number > after) pending.push(event);
  });
  // The last events each repeat the whole text: sent without a pause, they would not fit in what may wait for a reader.
  const flush = async () => {
    for (const event of pending.splice(0)) {
      const drained = events.send(event, null, event.type);
      if (drained !== undefined) await drained;
    }
  };
  try {
    for await (const event of past === undefined ? readPart(run, answer.start) : replayPart(past)) {
      const added = addEvent(writer, event, answer);
      if (added !== undefined) await added;
      await flush();
    }
  } catch (thrown) {
    const error = toTroupeError(thrown);
    if (!events.isHeadSent && own !== undefined) {
      events.abandon();
      throw error;
    }
    if (own !== undefined) exchange.logFailure(error, own);
    writer.fail(error, usageIn(error));
    for (const event of pending.splice(0)) void events.send(event, null, event.type);
  }
  events.close("[DONE]");
}

/** Sends a response as one JSON object, once its run has ended or waits for the client. */
export async function sendResponse(answer: ResponseAnswer): Promise<void> {
  const { exchange, parts, run } = answer;
  const writer = writerOf(answer, () => undefined);
  try {
    if (isWhole(answer)) addWhole(writer, outputOf(run, (await run.settled())?.output), exchange);
    else await addPieces(writer, answer);
  } finally {
    parts.service.closeIfDraining(exchange);
  }
  if (!exchange.isDestroyed) exchange.sendJson(200, writer.response);
}

async function addPieces(writer: ResponseWriter, answer: ResponseAnswer): Promise<void> {
  for await (const event of readPart(answer.run, answer.start)) {
    const added = addEvent(writer, event, answer);
    if (added !== undefined) await added;
  }
}

/**
 * Returns true for a run whose answer has no items except its text, reasoning and sources. The model then sends its
 * answer as a whole, because reading a streamed answer would cost several times as much.
 */
function isWhole({ run, model: { subject } }: ResponseAnswer): boolean {
  const { tools = [] } = (subject ?? {}) as { readonly tools?: readonly unknown[] };
  return !run.isStored && run.kind !== "team" && tools.length === 0;
}

/** Adds a whole answer to a response, and ends it. */
function addWhole(writer: ResponseWriter, output: ShownOutput, exchange: Exchange): void {
  const { thinking, sources = [], text, finishReason = "stop", usage } = output;
  const chunks: StreamChunk[] = [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, text: thinking }]),
    ...sources.map((source) => ({ type: "source" as const, ...source })),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    { type: "finish", finishReason, usage },
  ];
  writer.begin();
  for (const chunk of chunks) writer.take({ type: "chunk", chunk });
  exchange.recordUsage(usage);
  writer.finish(usage);
}

/** Adds an event to a response, or throws the failure of the run. Returns a promise only for the end of the run. */
function addEvent(writer: ResponseWriter, event: PartEvent, answer: ResponseAnswer): Promise<void> | undefined {
  if (event.type === "failure") throw event.error;
  writer.begin();
  if (event.type === "end") return addEnd(writer, event, answer);
  if (event.type === "pause") {
    checkPause(event.waits);
    writer.finish(undefined);
  } else writer.take(event);
  return undefined;
}

async function addEnd(
  writer: ResponseWriter,
  { readOutput }: Extract<PartEvent, { type: "end" }>,
  { exchange, run }: ResponseAnswer,
): Promise<void> {
  const output = outputOf(run, await readOutput());
  if (run.kind === "workflow") writer.addText(output.text);
  exchange.recordUsage(output.usage);
  writer.finish(output.usage);
}

/** Throws if a run waits for something other than an approval or the result of a client's tool. */
export function checkPause(waits: readonly RunWait[]): void {
  if (waits.some(({ kind }) => kind === "input" || kind === "approval")) return;
  throw apiError("conflict", "The run waits for an answer that this API has no place for.", { code: "run_waits" });
}

/** Returns the usage of a failed run. */
export function usageIn(error: unknown): TokenUsage | undefined {
  return error instanceof RunError ? error.output.usage : undefined;
}

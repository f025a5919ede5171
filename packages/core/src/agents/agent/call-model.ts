import { CitationMarks } from "../../base/message/citation-marks.ts";
import { OutputGate } from "../guardrail/output-gate.ts";
import type { CallIds } from "../../sessions/history/call-ids.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import { leaveChunks, reportedAttempt } from "../../model/model-attempt.ts";
import type { ModelAttemptEnd, ReportModelAttempt } from "../../model/model-attempt.ts";
import type { ModelCallOptions } from "../../model/model-config.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { ResponseCollector } from "../../model/response-collector.ts";
import { callWithRetries } from "../../base/retry/with-retry.ts";
import type { OngoingOperation } from "../../base/telemetry/telemetry.ts";
import type { Run } from "../run/run.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { PartialAnswers } from "../run/stream-views.ts";
import { ChunkFilter } from "./chunk-filter.ts";
import type { ModelCaller, LoopPlan, PreparedCall } from "./loop-plan.ts";
import { ModelCallLog } from "./model-call-log.ts";
import { normalizeResponse } from "./normalize-response.ts";
import { soundResponse } from "./sound-response.ts";
import { callWithState, withoutStoredState } from "./replayed-state.ts";
import { UniqueCallIds } from "./unique-call-ids.ts";
import { warnOfAnswer } from "./warn-of-answer.ts";

/**
 * Makes a prepared model call and records its answer in the run. Text is streamed as far as the guardrails allow. The
 * text of a structured answer is not streamed here, because only an answer that fits its schema is shown. Returns the
 * response with the text that may be shown.
 *
 * @param callIds the ids of all tool calls in the conversation
 */
export async function* callModel(
  plan: LoopPlan,
  prepared: PreparedCall,
  callIds: CallIds,
): AsyncGenerator<StreamChunk, ModelResponse> {
  const { run, structured, outputGuardrails } = plan;
  const { context } = run;
  const gate = structured === undefined ? new OutputGate({ guardrails: outputGuardrails, context }) : undefined;
  const partial = startPartialAnswer(plan);
  const { mayCallTools: showsTools, onShown } = prepared;
  const marks = gate && citationMarks(run, prepared);
  const chunks = new ChunkFilter({ run, gate, marks, partial, showsTools, onShown });
  const thinkingBefore = run.thinking;
  run.text = "";
  const log = new ModelCallLog(run, prepared.model);
  const ids = new UniqueCallIds(callIds);
  let response: ModelResponse;
  try {
    response = yield* callWithState(plan, { ...prepared, filter: chunks.filter, ids });
  } catch (error) {
    throw log.fail(error);
  }
  log.complete(response);
  warnOfAnswer(run, prepared, response);
  (prepared.meter ?? run.meter).add(response.usage);
  recordCall(run, prepared, { response, thinking: thinkingBefore + (response.thinking ?? "") });
  if (gate === undefined) return response;
  const rest = await endText({ gate, marks, hadText: chunks.hadText }, response, (text) => (run.text += text));
  run.text += rest;
  if (rest !== "") yield chunks.text(rest);
  if (marks !== undefined) warnOfCitations(run, marks.wrong);
  return run.text === response.text ? response : { ...withoutStoredState(response), text: run.text };
}

type CheckedText = { gate: OutputGate; marks: CitationMarks | undefined; hadText: boolean };

/**
 * Ends the checks of an answer's text (citation marks and guardrails), and returns the text that the checks held back
 * until its end. If the text was not streamed, checks the whole text first and passes it to `add`.
 */
async function endText(
  { gate, marks, hadText }: CheckedText,
  response: ModelResponse,
  add: (text: string) => void,
): Promise<string> {
  if (!hadText) add(await gate.push(marks?.push(response.text) ?? response.text));
  const held = marks?.end() ?? "";
  const checked = held === "" ? "" : await gate.push(held);
  return checked + (hasNoText(response) ? "" : await gate.end());
}

function hasNoText({ text, toolCalls }: ModelResponse): boolean {
  return text === "" && toolCalls.length > 0;
}

/** Creates the check of an answer's citation marks; undefined in a run without numbered passages. */
function citationMarks(run: Run, { tools }: PreparedCall): CitationMarks | undefined {
  if (!run.citesSources && !tools.mustCite) return undefined;
  return new CitationMarks((cited) => (cited >= 1 && cited <= run.sources.length ? cited : undefined));
}

function warnOfCitations(run: Run, wrong: readonly number[]): void {
  if (wrong.length === 0) return;
  const found = run.sources.length;
  const cited = wrong.join(", ");
  const message = `The answer cited ${cited}, but the run has ${found} sources. Those citations were removed.`;
  run.warn("citation_removed", message, { cited, sources: found });
}

/**
 * A model call that was answered: its response, and the thinking of the whole run up to and including that response.
 */
export type AnsweredCall = { readonly response: ModelResponse; readonly thinking: string };

/** Records a model call that was answered, except its usage. */
export function recordCall(run: LoopPlan["run"], { model }: PreparedCall, { response, thinking }: AnsweredCall): void {
  run.signal.throwIfAborted();
  run.noteToken();
  run.thinking = thinking;
  run.addSources(response.sources);
  run.responseId = response.responseId ?? run.responseId;
  run.model = response.answeredBy ?? model;
}

/**
 * Starts the partial values for a reader of `objectStream`, unless guardrails must check the structured answer first.
 */
function startPartialAnswer({ run, structured, outputGuardrails }: LoopPlan): PartialAnswers | undefined {
  if (structured === undefined || outputGuardrails.length > 0) return undefined;
  run.partialAnswers?.startAnswer();
  return run.partialAnswers;
}

/**
 * Calls the model by `generate`, for a run without streaming. Yields nothing and returns the response. The retry policy
 * repeats a failed call.
 */
export const callByGenerate: ModelCaller =
  // oxlint-disable-next-line require-yield -- a ModelCaller without chunks
  async function* ({ retry, run }, call) {
    const { model, messages, options, ids } = call;
    const { report, reports } = reportsOf(run, call);
    const ask = () => model.generate(messages, reports === undefined ? options : { ...options, ...reports });
    const generate =
      report === undefined ? ask : (attempt: number) => reportedAttempt(ask, () => report(attempt), endOf);
    return ids.inResponse(
      soundResponse(await callWithRetries(generate, retry, { signal: options.signal }), run, model),
    );
  };

/**
 * Calls the model by `stream`, for a streaming run. Yields the chunks that may be shown and returns the response. The
 * retry policy repeats a failed call only until its first chunk arrives.
 */
export const callByStream: ModelCaller = async function* ({ retry, run }, call) {
  const { model, messages, options, filter, ids, operation } = call;
  const collector = new ResponseCollector();
  const { report, reports } = reportsOf(run, call);
  const stream = () => model.stream(messages, reports === undefined ? options : { ...options, ...reports });
  const open = (attempt: number) => openStream(stream, report?.(attempt));
  const { chunks, first, end } = await callWithRetries(open, retry, { signal: options.signal });
  try {
    for (let step = first; step.done !== true; step = await chunks.next()) {
      const chunk = ids.inChunk(step.value);
      if (operation !== undefined) noteChunk(operation, chunk);
      collector.add(chunk);
      const filtered = filter(chunk);
      const shown = filtered instanceof Promise ? await filtered : filtered;
      if (shown !== undefined) yield shown;
      // A reader can stop the generator only when it yields a chunk. While no chunk is shown, a model that ignores the
      // signal would continue, so the signal is checked here.
      else options.signal.throwIfAborted();
    }
    for (const chunk of ids.rest()) {
      collector.add(chunk);
      const shown = await filter(chunk);
      if (shown !== undefined) yield shown;
    }
    const response = soundResponse(collector.finish(), run, model);
    end?.({ usage: response.usage, responseId: response.responseId });
    return response;
  } catch (error) {
    end?.({ error });
    throw error;
  } finally {
    leaveChunks(chunks);
  }
};

/**
 * Reports to telemetry that a chunk has arrived. All chunks share this object, because one is needed for each chunk.
 */
const chunkNote = { type: "chunk" } as const;

/** Notes in telemetry that a chunk has arrived. The end of the stream does not count as a chunk. */
function noteChunk(operation: OngoingOperation<"model">, { type }: ModelChunk): void {
  if (type !== "finish") operation.note(chunkNote);
}

/**
 * Returns the callbacks by which a model reports the attempts at a call. A model that calls other models reports its
 * calls of these models instead, and the usage of those whose responses it drops.
 */
function reportsOf(
  run: Run,
  { model, meter = run.meter, operation }: PreparedCall,
): { report?: ReportModelAttempt; reports?: ModelReports } {
  if (model.providerIds === undefined) {
    const report = run.modelCalls.begin(model, operation);
    return report === undefined ? {} : { report };
  }
  const onModelCall = run.modelCalls.beginPassedOn(operation);
  return { reports: { onModelCall, onLostUsage: (usage) => meter.add(usage) } };
}

type ModelReports = Pick<ModelCallOptions, "onModelCall" | "onLostUsage">;

/** Returns the end of an attempt at a model call: the response's usage, or an error for a malformed response. */
function endOf(response: ModelResponse): ModelAttemptEnd {
  try {
    const { usage, responseId } = normalizeResponse(response);
    return { usage, responseId };
  } catch (error) {
    return { error };
  }
}

/** Opens a model's stream and waits for its first chunk. Calls `end` if the attempt fails before that chunk. */
async function openStream(stream: () => AsyncIterable<ModelChunk>, end?: (end: ModelAttemptEnd) => void) {
  try {
    const chunks = stream()[Symbol.asyncIterator]();
    return { chunks, first: await chunks.next(), end };
  } catch (error) {
    end?.({ error });
    throw error;
  }
}

import assert from "node:assert/strict";
import type { ChatMessage } from "../../../base/message/message.ts";
import type { StreamChunk } from "../../run/stream-chunk.ts";
import { RunError } from "../../run/run-output.ts";
import type { RunOutput } from "../../run/run-output.ts";
import { interruptedTurn } from "../../../sessions/history/interrupted-turn.ts";
import { assertVendorWouldAccept } from "../../../sessions/history/test/assert-vendor-would-accept.ts";
import { turnMessages } from "../../../sessions/session/turn-record.ts";
import { readTurnRecord } from "../../../sessions/session/turn-record.ts";
import type { TurnRecord } from "../../../sessions/session/turn-record.ts";
import { recordQueuesOf } from "../../../sessions/lock/session-queues.ts";
import {
  assertCallGrammar,
  assertFinishesOnce,
  assertPlainChunks,
} from "../../../testing/conformance/model-subject.ts";
import { until } from "../../../testing/conformance/assert.ts";
import type { Trial, ExecutedRun } from "./execute-runs.ts";
import { markOf } from "./random-model.ts";

/** Asserts the invariants of any runs, whatever happened to them. */
export async function checkRuns(trial: Trial): Promise<void> {
  // A run that was cancelled does not wait for a write; its session does.
  await until(() => recordQueuesOf(trial.driver).busyKeys === 0);
  for (const [index, run] of trial.runs.entries()) {
    const output = outputOf(run);
    checkEvents(trial, run, output);
    checkUsage(output, trial.model.billed[index] ?? []);
    checkModelCalls(trial, output);
    checkChunks(run, output);
    checkCalls(output);
  }
  checkRequests(trial);
  const turns = (await trial.storage.list("turns")).map(({ key, value }) => ({
    key,
    turn: readTurnRecord(value, { namespace: "turns", key }),
  }));
  checkTurns(trial, turns);
  assert.equal(trial.listeners(), 0, "no listener is left on a signal that outlives the run");
}

function outputOf({ outcome }: ExecutedRun): RunOutput {
  return outcome instanceof RunError ? outcome.output : outcome;
}

/** I9: a run begins once, ends once, and emits no event before or after. */
function checkEvents({ events }: Trial, { outcome, runId }: ExecutedRun, output: RunOutput): void {
  const names = events.filter(({ data }) => data.runId === output.runId).map(({ name }) => name);
  const end = outcome instanceof RunError ? "run.error" : "run.complete";
  assert.equal(names[0], "run.start");
  assert.equal(names.at(-1), end);
  assert.equal(names.filter((name) => name === "run.start").length, 1);
  assert.equal(names.filter((name) => name === "run.complete" || name === "run.error").length, 1);
  assert.equal(runId ?? output.runId, output.runId);
  assert.equal(output.status, outcome instanceof RunError ? "error" : "completed");
}

/** The reported usage is the billed usage. A run that its reader left may have missed an answer of that moment. */
function checkUsage({ usage, status }: RunOutput, billed: readonly number[]): void {
  const sum = (tokens: readonly number[]) => tokens.reduce((total, one) => total + one, 0);
  const possible = status === "completed" ? [sum(billed)] : [sum(billed), sum(billed.slice(0, -1))];
  assert.ok(possible.includes(usage.totalTokens), `${usage.totalTokens} was reported, ${possible.join(" or ")} billed`);
}

/** Every attempt at a model call has one result, and the results add up to the usage of a run that completed. */
function checkModelCalls({ events }: Trial, { runId, status, usage }: RunOutput): void {
  const own = events.filter(({ data }) => data.runId === runId);
  const idsOf = (name: string) =>
    own.flatMap((event) => (event.name === name && "callId" in event.data ? [event.data.callId] : []));
  assert.deepEqual(idsOf("model.result").toSorted(), idsOf("model.call").toSorted(), "an attempt has one result");
  const sum = own.reduce(
    (total, { name, data }) =>
      total + (name === "model.result" && "usage" in data ? (data.usage?.totalTokens ?? 0) : 0),
    0,
  );
  if (status === "completed") assert.equal(sum, usage.totalTokens, "the results add up to the usage");
}

/** The grammar of a stream: complete with one finish at its end, or broken off without. */
function checkChunks({ chunks, outcome }: ExecutedRun, output: RunOutput): void {
  if (chunks.length === 0) return;
  assertPlainChunks(chunks);
  assertCallGrammar(closed(chunks));
  const said = chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("");
  if (outcome instanceof RunError) {
    assert.ok(
      chunks.every(({ type }) => type !== "finish"),
      "no finish before an error",
    );
  } else {
    assertFinishesOnce(chunks);
    assert.equal(closed(chunks).length, chunks.length, "every call ended");
    assert.ok(said.endsWith(output.text), "the answer was streamed");
  }
}

/** The chunks, and the ends of calls that were still open when the stream broke off. */
function closed(chunks: readonly StreamChunk[]): StreamChunk[] {
  const ended = new Set(chunks.flatMap((chunk) => (chunk.type === "tool_call_end" ? chunk.toolCallId : [])));
  const started = chunks.flatMap((chunk) => (chunk.type === "tool_call_start" ? chunk.toolCall.id : []));
  const open = started.filter((id) => !ended.has(id));
  return [...chunks, ...open.map((toolCallId): StreamChunk => ({ type: "tool_call_end", toolCallId }))];
}

function checkCalls({ toolCalls }: RunOutput): void {
  assert.equal(new Set(toolCalls.map(({ toolCallId }) => toolCallId)).size, toolCalls.length, "a result for each call");
  for (const { result, error } of toolCalls) {
    assert.ok(typeof result === "string" && result.startsWith(error?.replace(/\.$/, "") ?? result));
  }
}

/** I2, I3, I5: every model call has a history that vendors accept, of this session alone, turn by turn. */
function checkRequests({ given, model }: Trial): void {
  for (const { run, messages } of model.requests) {
    assertVendorWouldAccept(messages);
    const session = given.runs[run]?.session;
    for (const turn of turnsOf(messages)) {
      const marks = marksIn(turn);
      assert.equal(marks.length, 1, "a turn is one run's");
      assert.equal(given.runs[marks[0] ?? -1]?.session, session, "a history is one session's");
    }
  }
}

function turnsOf(messages: readonly ChatMessage[]): ChatMessage[][] {
  const turns: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === "user") turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

function marksIn(value: unknown): number[] {
  const marks = JSON.stringify(value).match(/<run \d+>/g) ?? [];
  return [...new Set(marks)].map((mark) => Number(mark.slice(5, -1)));
}

/** I1, I4: an acknowledged turn is stored once; other turns are whole, and marked unless the storage lied. */
function checkTurns(trial: Trial, turns: readonly { key: string; turn: TurnRecord }[]): void {
  for (const [index, run] of trial.runs.entries()) {
    const output = outputOf(run);
    const own = turns.filter(({ turn }) => turn.runId === output.runId);
    assert.ok(own.length <= 1, "a run is one turn");
    if (output.status === "completed") assert.equal(own[0]?.turn.status, "completed", "what was acknowledged is there");
    for (const { key, turn } of own) {
      checkResults(turn, trial);
      assert.equal(turn.input, `Hello ${markOf(index)}`);
      assert.ok(key.includes(`/${trial.given.runs[index]?.session}/`), "it is in its session");
      assert.deepEqual(marksIn(turn), [index], "it is of its run alone");
      assertVendorWouldAccept(turnMessages(turn));
      checkTurn(turn, output, trial);
    }
  }
  const known = new Set(trial.runs.map((run) => outputOf(run).runId));
  assert.ok(
    turns.every(({ turn }) => known.has(turn.runId)),
    "every turn is a run's",
  );
}

/** Executed calls are known to later model calls, so that a repeated request does nothing twice. */
function checkResults({ runId, messages }: TurnRecord, { events }: Trial): void {
  for (const { data } of events) {
    if (data.runId !== runId || !("result" in data)) continue;
    const stored = messages.find(({ toolCallId }) => toolCallId === data.toolCallId);
    assert.equal(stored?.content, data.result, "the result of a call that was done is stored");
  }
}

function checkTurn({ status, messages }: TurnRecord, output: RunOutput, { given }: Trial): void {
  const answer = messages.at(-1)?.toolCalls === undefined && messages.at(-1)?.role === "assistant";
  if (output.status === "completed") {
    assert.equal(answer ? messages.at(-1)?.content : "", output.text);
  } else if (status === "completed") {
    assert.ok(given.fault !== undefined, "a run that failed is no completed turn, unless its storage denied having it");
  } else {
    assert.notEqual(interruptedTurn(messages), null, "an interrupted turn is one in which a tool was called");
  }
}

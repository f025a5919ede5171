import { TroupeError } from "@troupe/core";
import type { SessionOwner } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { readMessage } from "@troupe/core/transport";
import type { Exchange, RequestedRun } from "@troupe/core/transport";
import { toRunMetadata } from "../agent/a2a-request.ts";
import { A2AError } from "../wire/a2a-error.ts";
import { toContent } from "../wire/content.ts";
import type { A2AMessage } from "../wire/task.ts";
import { readAnswers, toQuestion } from "./questions.ts";
import { noteOf, noteWith } from "./task-history.ts";
import type { TaskRun, TaskRuns } from "./task-runs.ts";

/** A message for an agent, and the HTTP request that brought it. */
export type MessageRequest = {
  readonly message: A2AMessage;
  /** Media types that the client accepts. Absent: any type. */
  readonly outputModes: string[] | undefined;
  /** The name of the agent for a new task. */
  readonly agent: string;
  readonly exchange: Exchange;
};

/**
 * Begins a task with a message, or continues the task that the message names by answering its question. Returns the
 * task's run in its new state.
 */
export async function takeMessage(request: MessageRequest, runs: TaskRuns): Promise<TaskRun> {
  const { message, exchange } = request;
  if (message.taskId === undefined) return await beginTask(request, runs);
  const owner = exchange.principal ?? {};
  const task = await runs.find(message.taskId, owner);
  Object.assign(exchange.record, { name: task.run.name, runId: task.run.runId });
  if (message.contextId !== undefined && message.contextId !== task.run.sessionId) {
    throw new A2AError("invalid-params", "message.contextId must be that of the task. Leave it out, or name no task.");
  }
  return await answerTask(task, message, owner);
}

async function beginTask(request: MessageRequest, runs: TaskRuns): Promise<TaskRun> {
  const { message, agent: name, exchange } = request;
  exchange.record.name = name;
  const note = noteOf(message);
  const beginning = runs.begin(await readRun(request, runs), { name, note });
  exchange.record.run = beginning;
  const run = await beginning;
  const { runId, sessionId, kind } = run;
  exchange.record.runId = runId;
  const view = { runId, kind, name, sessionId, status: "queued", createdAt: Date.now(), attempts: 0, note } as const;
  return { run, view };
}

async function readRun(
  { message, outputModes, agent, exchange }: MessageRequest,
  { service }: TaskRuns,
): Promise<RequestedRun<unknown, unknown>> {
  const requested = await service.readRun(exchange, agent, {
    readInput: readMessage,
    readFields: () => ({ input: toContent(message), sessionId: message.contextId }),
    where: "message",
  });
  const { opts } = requested;
  return { ...requested, opts: { ...opts, metadata: toRunMetadata(message, { outputModes, ofHost: opts.metadata }) } };
}

async function answerTask(task: TaskRun, message: A2AMessage, owner: SessionOwner): Promise<TaskRun> {
  const { run, view } = task;
  const { service, runId } = run;
  if (view.status !== "waiting") throw notWaiting(view);
  for (const { waitId, answer } of readAnswers(message, view.waits ?? [])) {
    await service.answer(runId, waitId, answer, owner).catch(refuseAnswer);
  }
  const said = [toQuestion(view), message];
  await service.changeNote(runId, owner, (note) => noteWith(note, said));
  // The answered waits stay in the returned record, because the reader of its events needs them.
  return { run, view: { ...view, status: "running", startedAt: Date.now(), note: noteWith(view.note, said) } };
}

function notWaiting({ status }: RunView): A2AError {
  const isOpen = status === "queued" || status === "running";
  const problem = isOpen ? "The task is working, and asks nothing" : "The task is over";
  return new A2AError("unsupported-operation", `${problem}. Send the message without taskId: it begins a new task.`);
}

/** Rethrows a refused answer as an `A2AError`: the question is unknown, already has an answer, or its time is over. */
function refuseAnswer(error: unknown): never {
  if (TroupeError.is(error) && error.code === "conflict") {
    throw new A2AError("unsupported-operation", error.message);
  }
  if (TroupeError.is(error) && error.code === "not_found") throw new A2AError("invalid-params", error.message);
  throw error;
}

import { TroupeError } from "@troupe/core";
import type { Logger, SessionOwner } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { readHostRunOptions, readRemoteAddress } from "@troupe/core/transport";
import type { CarriedKeys, Principal } from "@troupe/core/transport";
import type { Request, Response } from "express";
import { cancelTask } from "../tasks/cancel-task.ts";
import { followTask, untilPaused } from "../tasks/follow-task.ts";
import { listTasks } from "../tasks/list-tasks.ts";
import { answerPush, setPush } from "../push/answer-push.ts";
import { takeMessage } from "../tasks/take-message.ts";
import type { MessageRequest } from "../tasks/take-message.ts";
import type { TaskRun } from "../tasks/task-runs.ts";
import { TaskTail } from "../tasks/task-tail.ts";
import { toMessage, toStatus, toTask } from "../tasks/task-view.ts";
import { A2AError, toA2AError } from "../wire/a2a-error.ts";
import { namedAgent } from "../wire/call.ts";
import type { A2ACall, SendCall } from "../wire/call.ts";
import type { PushConfig } from "../wire/push-config.ts";
import type { Answered } from "../wire/stream-frames.ts";
import { isTerminal, lastMessages } from "../wire/task.ts";
import type { A2ATask } from "../wire/task.ts";
import type { A2ASettings } from "./a2a-server-options.ts";
import { makeExtendedCard } from "./answer-card.ts";
import { TaskStream } from "./task-stream.ts";

/** A call that is being answered: its request, its caller, and what its answer is written with. */
export type Answering = {
  readonly settings: A2ASettings;
  readonly request: Request;
  readonly response: Response;
  /** The agent of the request's path. */
  readonly agent: string | undefined;
  readonly answered: Answered;
  readonly principal: Principal | undefined;
  /** The principal; empty without one. */
  readonly owner: SessionOwner;
  readonly keys: CarriedKeys;
  /** Aborts when the client has left. */
  readonly left: AbortSignal;
};

/** Answers a call. Rejects with the error to answer with, as long as nothing was sent. */
export async function answerCall(call: A2ACall, answering: Answering): Promise<void> {
  const { settings, owner, answered, left } = answering;
  const { runs } = settings;
  switch (call.op) {
    case "send":
      return await answerSend(call, answering);
    case "stream":
      return await answerStream(await take(call, answering), answering, call);
    case "get":
      return sendTask((await runs.find(call.id, owner)).run, answering, call.historyLength);
    case "cancel":
      return sendTask(await cancelTask(runs, { ...answered.dialect, id: call.id, owner, left }), answering);
    case "subscribe":
      return await answerSubscribe(await runs.find(call.id, owner), answering);
    case "extended-card": {
      const agent = answering.agent ?? namedAgent(call);
      const facts = await makeExtendedCard({ ...answering, agent, dialect: answered.dialect });
      return sendResult(answering, answered.dialect.writeCard(facts));
    }
    case "list": {
      const page = await listTasks(runs, call, { owner, form: answered.dialect });
      return sendResult(answering, answered.dialect.writePage(page));
    }
    default: {
      const pushing = pushingOf(answering);
      sendResult(answering, await answerPush(call, await runs.find(call.id, owner), pushing));
    }
  }
}

function pushingOf({ settings: { push }, answered: { dialect }, owner }: Answering) {
  // Where none are sent, no call about them is read.
  if (push === undefined) throw new A2AError("push-not-supported", "This agent sends no push notifications.");
  return { push, dialect, owner };
}

/** Hands the message of a call to its agent: that of the path, else the one that the call names, else the first. */
async function take(call: SendCall, answering: Answering): Promise<TaskRun> {
  const task = await begin(call, answering);
  if (call.message.taskId !== undefined) answering.settings.push?.wake(task.run.runId);
  return task;
}

async function begin(call: SendCall, answering: Answering): Promise<TaskRun> {
  const { settings, request, agent, principal, keys } = answering;
  const { runs, runOptions, firstAgent, trustAddresses } = settings;
  const named = agent ?? namedAgent(call) ?? firstAgent;
  if (!runs.agents.has(named)) {
    throw new A2AError(
      "invalid-params",
      "The message names an agent that is not known. The agent card lists them all.",
    );
  }
  const hostOptions = runOptions && readHostRunOptions(await runOptions(request));
  const { message, outputModes } = call;
  const address = readRemoteAddress(request, trustAddresses);
  const taken = { message, outputModes, agent: named, principal, keys, hostOptions, address };
  return call.push === undefined ? await takeMessage(taken, runs) : await takeWithPush(call.push, taken, answering);
}

/** Takes a message whose client wants to be notified of all that comes of it. */
async function takeWithPush(config: PushConfig, taken: MessageRequest, answering: Answering): Promise<TaskRun> {
  const { runs } = answering.settings;
  const { taskId } = taken.message;
  const pushing = pushingOf(answering);
  // Before the message is taken: a wrong address refuses it.
  await pushing.push.check(config);
  if (taskId !== undefined) {
    await setPush(await runs.find(taskId, answering.owner), config, { ...pushing, fromStart: false });
    return await takeMessage(taken, runs);
  }
  const task = await takeMessage(taken, runs);
  await setPush(task, config, { ...pushing, fromStart: true });
  return task;
}

async function answerSend(call: SendCall, answering: Answering): Promise<void> {
  const { answered } = answering;
  const task = await take(call, answering);
  const run = call.waits ? await readPaused(task, answering) : task.run;
  if (run === undefined) return;
  // The message of a task that the client knows, or is to get at once, has the task for an answer.
  const message = call.waits && call.message.taskId === undefined ? toMessage(run) : undefined;
  const answer =
    message === undefined
      ? { type: "task" as const, task: shownTask(run, answering, call.historyLength) }
      : { type: "message" as const, message };
  sendResult(answering, answered.dialect.writeAnswer(answer));
}

async function readPaused(task: TaskRun, { settings, owner, left }: Answering): Promise<RunView | undefined> {
  const tail = new TaskTail(settings.runs, task, { owner, left });
  try {
    return await untilPaused(tail);
  } finally {
    tail.end();
  }
}

/** Streams a task that is over to clients that take nothing else; for others it is an error. */
async function answerSubscribe(task: TaskRun, answering: Answering): Promise<void> {
  const { dialect } = answering.answered;
  const status = toStatus(task.run, dialect);
  if (!isTerminal(status.state)) return await answerStream(task, answering);
  if (!dialect.resumesEnded) {
    throw new A2AError("unsupported-operation", "The task is over: it has no more events. Get it by its id.");
  }
  const stream = openStream(task, answering);
  void stream.send({ type: "task", task: toTask(task.run, dialect) });
  void stream.send({ type: "status", taskId: task.run.runId, contextId: task.run.sessionId, status });
  stream.close();
}

/** Streams a task: for the call that has begun it or gone on with it, or for one that follows it. */
async function answerStream(task: TaskRun, answering: Answering, call?: SendCall): Promise<void> {
  const { owner, left, settings } = answering;
  const stream = openStream(task, answering, call);
  const tail = new TaskTail(settings.runs, task, { owner, left });
  try {
    await followTask(tail, stream);
    stream.close();
  } catch (thrown) {
    const error = toA2AError(thrown, "task");
    logFault(settings.logger, thrown, error);
    stream.fail(error);
  } finally {
    tail.end();
  }
}

function openStream({ run }: TaskRun, { response, answered, settings }: Answering, call?: SendCall): TaskStream {
  const { runId: taskId, sessionId: contextId, name } = run;
  const { heartbeatMs, mayAnswerByMessage } = settings;
  const takesMessage = call !== undefined && call.message.taskId === undefined && mayAnswerByMessage.has(name);
  return new TaskStream(response, answered, {
    taskId,
    contextId,
    takesMessage,
    historyLength: call?.historyLength,
    heartbeatMs,
  });
}

/** Sends a task as a result. Nothing for no run: the client has left. */
function sendTask(run: RunView | undefined, answering: Answering, historyLength?: number): void {
  if (run === undefined) return;
  sendResult(answering, answering.answered.dialect.writeTask(shownTask(run, answering, historyLength)));
}

function shownTask(run: RunView, { answered }: Answering, historyLength: number | undefined): A2ATask {
  const task = toTask(run, answered.dialect);
  return { ...task, history: lastMessages(task.history, historyLength) };
}

function sendResult({ response, answered }: Answering, result: object | null): void {
  sendJson(response, answered, { status: 200, json: answered.writeResult(result) });
}

/** Sends JSON and ends the response. No cache may keep it. */
export function sendJson(
  response: Response,
  { mediaType }: Answered,
  { status, json }: { status: number; json: string },
): void {
  if (response.destroyed || response.writableEnded) return;
  response.writeHead(status, {
    "Content-Type": mediaType,
    "Content-Length": Buffer.byteLength(json),
    "Cache-Control": "no-store",
  });
  response.end(json);
}

/** Logs what only the operator of the service can mend. Keys of the request are masked by the logger that is given. */
export function logFault(logger: Logger, thrown: unknown, error: A2AError): void {
  // A shutdown is none: the task goes on.
  if (TroupeError.is(thrown) && thrown.code === "interrupted") return;
  if (error.kind === "internal") logger.error("A call failed by a fault of the service.", { error: thrown });
}

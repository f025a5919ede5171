import { TroupeError } from "@troupe/core";
import type { Logger, SessionOwner } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { AnswerHeaders, Exchange } from "@troupe/core/transport";
import { cancelTask } from "../tasks/cancel-task.ts";
import { followTask, untilPaused } from "../tasks/follow-task.ts";
import { listTasks } from "../tasks/list-tasks.ts";
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
import type { A2AParts } from "./a2a-parts.ts";
import { TaskStream } from "./task-stream.ts";

/** A call in progress: its request, its caller, and the writer of its answer. */
export type Answering = {
  readonly parts: A2AParts;
  readonly exchange: Exchange;
  /** The agent in the request's path, if any. */
  readonly agent: string | undefined;
  readonly answered: Answered;
  /** The signed-in user; an empty object if there is none. */
  readonly owner: SessionOwner;
  /** Aborts when the client has disconnected. */
  readonly left: AbortSignal;
};

/** Answers an A2A call. Rejects with the error to send, as long as nothing was sent. */
export async function answerCall(call: A2ACall, answering: Answering): Promise<void> {
  const { parts, owner, answered, left } = answering;
  const { runs } = parts;
  switch (call.op) {
    case "send":
      return await answerSend(call, answering);
    case "stream":
      return await answerStream(await take(call, answering), answering, call);
    case "get":
      return sendTask((await runs.find(call.id, owner)).view, answering, call.historyLength);
    case "cancel":
      return sendTask(await cancelTask(runs, { ...answered.dialect, id: call.id, owner, left }), answering);
    case "subscribe":
      return await answerSubscribe(await runs.find(call.id, owner), answering);
    case "extended-card": {
      const { makeExtendedCard } = await import("./answer-card.ts");
      const agent = answering.agent ?? namedAgent(call);
      const facts = await makeExtendedCard({ ...answering, agent, dialect: answered.dialect });
      return sendResult(answering, answered.dialect.writeCard(facts));
    }
    case "list": {
      const page = await listTasks(runs, call, { owner, form: answered.dialect });
      return sendResult(answering, answered.dialect.writePage(page));
    }
    default: {
      const { answerPush } = await import("../push/answer-push.ts");
      const pushing = await pushingOf(answering);
      sendResult(answering, await answerPush(call, await runs.find(call.id, owner), pushing));
    }
  }
}

async function pushingOf({ parts: { push }, answered: { dialect }, owner }: Answering) {
  // Never thrown: a service without push notifications already rejects these calls while reading them.
  if (push === undefined) throw new A2AError("push-not-supported", "This agent sends no push notifications.");
  return { push: await push, dialect, owner };
}

/**
 * Hands the message of a call to an agent: the agent in the path, else the agent that the call names, else the first
 * agent.
 */
async function take(call: SendCall, answering: Answering): Promise<TaskRun> {
  const { exchange, parts } = answering;
  const { runs, firstAgent } = parts;
  const { message, outputModes } = call;
  const agent = answering.agent ?? namedAgent(call) ?? firstAgent;
  if (!runs.agents.has(agent)) {
    throw new A2AError(
      "invalid-params",
      "The message names an agent that is not known. The agent card lists them all.",
    );
  }
  const request = { message, outputModes, agent, exchange };
  return await (call.push === undefined ? takeMessage(request, runs) : takeWithPush(call.push, request, answering));
}

async function takeWithPush(config: PushConfig, request: MessageRequest, answering: Answering): Promise<TaskRun> {
  const { takeNotifying } = await import("../push/answer-push.ts");
  return await takeNotifying(config, request, { ...(await pushingOf(answering)), runs: answering.parts.runs });
}

async function answerSend(call: SendCall, answering: Answering): Promise<void> {
  const { answered } = answering;
  const task = await take(call, answering);
  const run = call.waits ? await readPaused(task, answering) : task.view;
  if (run === undefined) return;
  // A client that already knows the task, or does not wait for its end, gets the task and not a message.
  const message = call.waits && call.message.taskId === undefined ? toMessage(run) : undefined;
  const answer =
    message === undefined
      ? { type: "task" as const, task: shownTask(run, answering, call.historyLength) }
      : { type: "message" as const, message };
  sendResult(answering, answered.dialect.writeAnswer(answer));
}

async function readPaused(task: TaskRun, { left }: Answering): Promise<RunView | undefined> {
  const tail = new TaskTail(task, left);
  try {
    return await untilPaused(tail);
  } finally {
    tail.end();
  }
}

/**
 * Streams the later events of a task. A finished task is streamed to clients of 0.x, which accept only streams; for
 * other clients it is an error.
 */
async function answerSubscribe(task: TaskRun, answering: Answering): Promise<void> {
  const { dialect } = answering.answered;
  const status = toStatus(task.view, dialect);
  if (!isTerminal(status.state)) return await answerStream(task, answering);
  if (!dialect.resumesEnded) {
    throw new A2AError("unsupported-operation", "The task is over: it has no more events. Get it by its id.");
  }
  const stream = openStream(task, answering);
  void stream.send({ type: "task", task: toTask(task.view, dialect) });
  void stream.send({ type: "status", taskId: task.run.runId, contextId: task.run.sessionId, status });
  stream.close();
}

/** Streams a task for an A2A call that started, continued or only follows the task. */
async function answerStream(task: TaskRun, answering: Answering, call?: SendCall): Promise<void> {
  const { left, exchange } = answering;
  const stream = openStream(task, answering, call);
  const tail = new TaskTail(task, left);
  try {
    await followTask(tail, stream);
    stream.close();
  } catch (thrown) {
    const error = toA2AError(thrown, "task");
    logFault(exchange.logger, thrown, error);
    stream.fail(error);
  } finally {
    tail.end();
  }
}

function openStream({ run }: TaskRun, { exchange, answered, parts }: Answering, call?: SendCall): TaskStream {
  const { runId: taskId, sessionId: contextId, name } = run;
  const { service, mayAnswerByMessage } = parts;
  const { heartbeatMs } = service.settings;
  const takesMessage = call !== undefined && call.message.taskId === undefined && mayAnswerByMessage.has(name);
  const historyLength = call?.historyLength;
  return new TaskStream(exchange, answered, { taskId, contextId, takesMessage, historyLength, heartbeatMs });
}

/** Sends a task as a result. Does nothing if `run` is undefined, because the client has disconnected. */
function sendTask(run: RunView | undefined, answering: Answering, historyLength?: number): void {
  if (run === undefined) return;
  sendResult(answering, answering.answered.dialect.writeTask(shownTask(run, answering, historyLength)));
}

function shownTask(run: RunView, { answered }: Answering, historyLength: number | undefined): A2ATask {
  const task = toTask(run, answered.dialect);
  return { ...task, history: lastMessages(task.history, historyLength) };
}

/** Sends a result. Does nothing if the client has disconnected. */
function sendResult({ exchange, answered, parts }: Answering, result: object | null): void {
  if (exchange.isDestroyed || exchange.isEnded) return;
  parts.service.closeIfDraining(exchange);
  const json = answered.writeResult(result);
  exchange.send(200, jsonHead(answered, json), json);
}

/** The headers of an answer in JSON, which forbid caches to store it. */
export function jsonHead({ mediaType }: Answered, json: string): AnswerHeaders {
  return { "Content-Type": mediaType, "Content-Length": Buffer.byteLength(json), "Cache-Control": "no-store" };
}

/** Logs faults that only the operator of the service can fix. The given logger masks the keys of the request. */
export function logFault(logger: Logger, thrown: unknown, error: A2AError): void {
  // A shutdown is not a fault: the task continues elsewhere or later.
  if (TroupeError.is(thrown) && thrown.code === "interrupted") return;
  if (error.kind === "internal") logger.error("A call failed by a fault of the service.", { error: thrown });
}

import { TroupeError } from "@troupe/core";
import type { RunWait } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { toTroupeError } from "@troupe/core/kit";
import { toPublicError } from "@troupe/core/transport";
import type * as Library from "@modelcontextprotocol/server";
import { isOwnFault } from "../call-tool.ts";
import type { Caller } from "../call-tool.ts";
import { callerOf } from "../extension.ts";
import type { Making } from "./server-parts.ts";
import { canAsk, checkTakesTasks, relatedTaskKey, tasksExtension } from "./negotiation.ts";
import { toAnswer, toInputRequest } from "./questions.ts";
import type { Task, TaskRuns } from "./task-runs.ts";
import { toCallResult, toDetailedTask, toLegacyTask } from "./task-shapes.ts";

type Params = Readonly<Record<string, unknown>>;

/** A request about tasks: its parameters, the library's context, and the caller. */
type Asked = { readonly params: Params; readonly context: Library.ServerContext; readonly caller: Caller };

/** Milliseconds for which a request to cancel a task waits for the end of its run. */
const cancelWaitMs = 10_000;
/** Milliseconds for which `tasks/update` waits until the run shows its remaining questions. */
const updateWaitMs = 2000;
/** Milliseconds for which a question to a person may stay open. */
const longestAnswerMs = 2 ** 31 - 1;

/** A parameter schema that accepts everything: the handlers check the fields that they need. */
const anyParams = {
  "~standard": {
    version: 1 as const,
    vendor: "troupe",
    validate: (value: unknown) => ({ value: value ?? {} }),
  },
};

/** Returns a server's task capabilities in its client's revision. Only an authenticated user can list tasks. */
export function taskCapabilities({ purpose: { era, caller } }: Making): Library.ServerCapabilities {
  if (era === "modern") return { extensions: { [tasksExtension]: {} } };
  const list = caller.opts.userId === undefined ? {} : { list: {} };
  return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } };
}

/** Registers handlers of the requests about tasks in the client's revision of MCP. */
export function serveTasks(server: Library.Server, making: Making): void {
  const { parts, purpose } = making;
  const handle = (method: string, answer: (asked: Asked, making: Making) => Promise<Library.Result>): void => {
    server.setRequestHandler(method, { params: anyParams }, async (given, context) => {
      const params = given as Params;
      if (purpose.era === "modern") checkTakesTasks(parts.library, context);
      const caller = callerOf(parts.callers, context, purpose.caller);
      try {
        return await answer({ params, context, caller }, making);
      } catch (error) {
        throw toProtocolError(error, making);
      }
    });
  };
  handle("tasks/get", getTask);
  handle("tasks/cancel", cancelTask);
  if (purpose.era === "modern") return handle("tasks/update", updateTask);
  handle("tasks/result", async (asked, each) => await awaitResult(asked, each, server));
  if (purpose.caller.opts.userId !== undefined) handle("tasks/list", listTasks);
}

/** For each session or stdio connection that has started a task, a signal that aborts when it closes. */
const closings = new WeakMap<Library.Server, AbortSignal>();

function closingOf(server: Library.Server): AbortSignal {
  const known = closings.get(server);
  if (known !== undefined) return known;
  const closed = new AbortController();
  const { onclose } = server;
  Object.assign(server, {
    onclose: () => {
      closed.abort();
      onclose?.();
    },
  });
  closings.set(server, closed.signal);
  return closed.signal;
}

/** Notifies the client of a session or stdio connection whenever the status of a task changes. */
export function notifyOfTask(server: Library.Server, task: Task, { parts: { tasks } }: Making): void {
  const tell = async (): Promise<void> => {
    for await (const run of tasks.follow(task, closingOf(server))) {
      const params = toLegacyTask({ run });
      await server.notification({ method: "notifications/tasks/status", params });
    }
  };
  // A failed notification is ignored: by the protocol, clients also poll the status.
  void tell().catch(() => undefined);
}

/** Returns the JSON-RPC error for a failed request about tasks, and logs faults of the service. */
export function toProtocolError(error: unknown, { parts: { library, service } }: Making): Error {
  if (library.ProtocolError.isInstance(error)) return error;
  const failure = toTroupeError(error);
  if (isOwnFault(failure.code))
    service.logger.error("A request about tasks failed by a fault of the service.", { error: failure });
  const { InvalidParams, InternalError } = library.ProtocolErrorCode;
  const isAsked = ["not_found", "gone", "invalid_request", "conflict"].includes(failure.code);
  return new library.ProtocolError(isAsked ? InvalidParams : InternalError, toPublicError(failure).message);
}

async function getTask(asked: Asked, { parts, purpose }: Making): Promise<Library.Result> {
  const task = await parts.tasks.find(readTaskId(asked), asked.caller);
  if (purpose.era === "legacy") return { ...toLegacyTask(task) };
  const { maxMediaBytes } = parts.settings;
  return { ...toDetailedTask(task, { maxMediaBytes, canAsk: canAsk(asked.context) }) };
}

async function listTasks({ params: { cursor }, caller }: Asked, { parts }: Making): Promise<Library.Result> {
  if (cursor !== undefined && typeof cursor !== "string") throw invalid("cursor must be a string.");
  const { tasks, next } = await parts.tasks.list(caller, cursor);
  return { tasks: tasks.map(toLegacyTask), ...(next !== undefined && { nextCursor: next }) };
}

async function cancelTask(asked: Asked, { parts: { tasks }, purpose }: Making): Promise<Library.Result> {
  const task = await tasks.find(readTaskId(asked), asked.caller);
  const { service, run } = task;
  const isOver = run.endedAt !== undefined;
  if (purpose.era === "modern") {
    if (!isOver) await service.cancel(run.runId, "host", "Cancelled by the client.");
    return {};
  }
  if (isOver) throw invalid(`The task is over already: it is ${toLegacyTask(task).status}.`);
  await service.cancel(run.runId, "host", "Cancelled by the client.");
  const time = AbortSignal.timeout(cancelWaitMs);
  for await (const next of tasks.follow(task, time)) {
    if (next.endedAt !== undefined) return { ...toLegacyTask({ run: next }) };
  }
  return { ...toLegacyTask({ run: await service.get(run.runId, "host") }) };
}

/**
 * Handles the answers of a client's user to a task's questions. Answers to unknown questions are ignored, as MCP
 * prescribes.
 */
async function updateTask(asked: Asked, { parts: { tasks } }: Making): Promise<Library.Result> {
  const responses = asked.context.mcpReq.inputResponses;
  if (responses === undefined)
    throw invalid("inputResponses must be an object of answers by the keys of inputRequests.");
  const task = await tasks.find(readTaskId(asked), asked.caller);
  const { waits = [] } = task.run;
  const answered = waits.filter(({ id }) => Object.hasOwn(responses, id));
  const taken = await Promise.all(answered.map(async (wait) => await takeAnswer(task, wait, responses[wait.id])));
  const open = waits.length - taken.filter(Boolean).length;
  if (open > 0 && open < waits.length) await untilAsking(task, open, tasks);
  return {};
}

/** Waits until a run that has received some of its answers waits for the remaining answers again. */
async function untilAsking(task: Task, open: number, tasks: TaskRuns): Promise<void> {
  for await (const { endedAt, waits } of tasks.follow(task, AbortSignal.timeout(updateWaitMs))) {
    if (endedAt !== undefined || waits?.length === open) return;
  }
}

/**
 * Answers a question of a run. Returns false if the answer leaves the question open, or if another answer was first.
 */
async function takeAnswer({ service, run }: Task, wait: RunWait, response: unknown): Promise<boolean> {
  const answer = toAnswer(wait, response);
  if (answer === undefined) return false;
  try {
    await service.answer(run.runId, wait.id, answer, "host");
    return true;
  } catch (error) {
    if (TroupeError.is(error) && (error.code === "conflict" || error.code === "not_found")) return false;
    throw error;
  }
}

/**
 * Waits until a task is over and returns its result. Until then, asks the client the run's questions if the client can
 * be asked.
 */
async function awaitResult(asked: Asked, { parts, purpose }: Making, server: Library.Server): Promise<Library.Result> {
  const { context, caller } = asked;
  const { tasks, calls, settings } = parts;
  const task = await tasks.find(readTaskId(asked), caller);
  const { signal, end } = calls.begin(undefined, [context.mcpReq.signal, caller.signal]);
  const questions = new Questions(task, context);
  try {
    for await (const run of tasks.follow(task, signal)) {
      if (run.endedAt !== undefined) {
        const result = toCallResult({ run }, settings.maxMediaBytes);
        return { ...result, _meta: { [relatedTaskKey]: { taskId: run.runId } } };
      }
      if (!purpose.isKept) tellStatus(run, context);
      else if (canAsk(context, server)) questions.ask(run);
    }
  } finally {
    questions.end();
    if (caller.answered === undefined) end();
    else void caller.answered.then(end);
  }
  throw new TroupeError("unavailable", "The service ends, and the task goes on. Ask for its result again.");
}

/** Notifies a client without a session of its task's status, on the stream that answers its request. */
function tellStatus(run: RunView, { mcpReq }: Library.ServerContext): void {
  const message = { method: "notifications/tasks/status", params: toLegacyTask({ run }) };
  void mcpReq.notify(message as never).catch(() => undefined);
}

/** The open questions of a run to the user of a connected client. */
class Questions {
  readonly #task: Task;
  readonly #context: Library.ServerContext;
  /** The questions asked so far, by id. A question is asked only once. */
  readonly #open = new Map<string, AbortController>();

  constructor(task: Task, context: Library.ServerContext) {
    this.#task = task;
    this.#context = context;
  }

  /**
   * Asks the questions of a waiting run, and withdraws those that are answered. Does nothing while the run is not
   * waiting, which is briefly the case after it received one of several answers.
   */
  ask({ status, waits = [] }: RunView): void {
    if (status !== "waiting") return;
    for (const [id, question] of this.#open) if (!waits.some((wait) => wait.id === id)) question.abort();
    for (const wait of waits) {
      if (this.#open.has(wait.id)) continue;
      const question = new AbortController();
      this.#open.set(wait.id, question);
      // A client that cannot answer leaves the question open.
      void this.#ask(wait, question.signal).catch(() => undefined);
    }
  }

  end(): void {
    for (const question of this.#open.values()) question.abort();
  }

  async #ask(wait: RunWait, signal: AbortSignal): Promise<void> {
    const request = toInputRequest(wait);
    if (request === undefined) return;
    const { method, params } = request;
    const _meta = { [relatedTaskKey]: { taskId: this.#task.run.runId } };
    const options = { signal, timeout: longestAnswerMs };
    const response = await this.#context.mcpReq.send({ method, params: { ...params, _meta } }, options);
    await takeAnswer(this.#task, wait, response);
  }
}

function readTaskId({ params: { taskId } }: Asked): string {
  if (typeof taskId === "string") return taskId;
  throw invalid("taskId must be a string.");
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}

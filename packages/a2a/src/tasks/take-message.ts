import { TroupeError } from "@troupe/core";
import type { SessionOwner } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { readMessage, readRunFields } from "@troupe/core/transport";
import type { CarriedKeys, HostRunOptions, Principal } from "@troupe/core/transport";
import { toRunMetadata } from "../agent/a2a-request.ts";
import { A2AError } from "../wire/a2a-error.ts";
import { toContent } from "../wire/content.ts";
import type { A2AMessage } from "../wire/task.ts";
import { readAnswers, toQuestion } from "./questions.ts";
import { noteOf, noteWith } from "./task-history.ts";
import type { TaskRun, TaskRuns } from "./task-runs.ts";

/** A message for an agent, with the facts about the request that brought it. */
export type MessageRequest = {
  readonly message: A2AMessage;
  /** Media types that the client takes; absent for any. */
  readonly outputModes: string[] | undefined;
  /** The name of the agent that a new task is for. */
  readonly agent: string;
  readonly principal: Principal | undefined;
  readonly keys: CarriedKeys;
  readonly hostOptions: HostRunOptions | undefined;
  /** The remote address of the client, where the host trusts it. */
  readonly address: string | undefined;
};

/**
 * Begins the task of a message, or goes on with the one that it names by answering what that waits for. Returns the task as it
 * is from then on, which later events change.
 */
export async function takeMessage(request: MessageRequest, runs: TaskRuns): Promise<TaskRun> {
  const { message, principal: owner = {} } = request;
  if (message.taskId === undefined) return await beginTask(request, runs);
  const task = await runs.find(message.taskId, owner);
  if (message.contextId !== undefined && message.contextId !== task.run.sessionId) {
    throw new A2AError("invalid-params", "message.contextId must be that of the task. Leave it out, or name no task.");
  }
  return await answerTask(task, message, owner);
}

async function beginTask(request: MessageRequest, runs: TaskRuns): Promise<TaskRun> {
  const { message, outputModes, agent, principal, keys, hostOptions, address } = request;
  const metadata = toRunMetadata(message, { outputModes, ofHost: hostOptions?.metadata });
  const fields = { input: toContent(message), sessionId: message.contextId };
  const requested = readRunFields(fields, {
    subject: agent,
    readInput: readMessage,
    principal,
    bodyUserId: "unverified",
    hostOptions: { ...hostOptions, metadata },
    readKeys: () => keys,
    address,
    where: "message",
  });
  const target = { ...runs.of(agent), note: noteOf(message) };
  const { service, kind, name, note } = target;
  const { runId, sessionId } = await runs.served.accept(requested, target);
  const run = { runId, kind, name, sessionId, status: "queued", createdAt: Date.now(), attempts: 0, note } as const;
  return { service, run };
}

async function answerTask(task: TaskRun, message: A2AMessage, owner: SessionOwner): Promise<TaskRun> {
  const { service, run } = task;
  if (run.status !== "waiting") throw notWaiting(run);
  for (const { waitId, answer } of readAnswers(message, run.waits ?? [])) {
    await service.answer(run.runId, waitId, answer, owner).catch(refuseAnswer);
  }
  const said = [toQuestion(run), message];
  await service.changeNote(run.runId, owner, (note) => noteWith(note, said));
  // With the waits, of which the reader of the events has to know.
  return { ...task, run: { ...run, status: "running", startedAt: Date.now(), note: noteWith(run.note, said) } };
}

function notWaiting({ status }: RunView): A2AError {
  const isOpen = status === "queued" || status === "running";
  const problem = isOpen ? "The task is working, and asks nothing" : "The task is over";
  return new A2AError("unsupported-operation", `${problem}. Send the message without taskId: it begins a new task.`);
}

/** Another answer may have been first, or the time for it is over. */
function refuseAnswer(error: unknown): never {
  if (TroupeError.is(error) && error.code === "conflict") {
    throw new A2AError("unsupported-operation", error.message);
  }
  if (TroupeError.is(error) && error.code === "not_found") throw new A2AError("invalid-params", error.message);
  throw error;
}

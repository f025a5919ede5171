import { randomUUID } from "node:crypto";
import type { SessionOwner } from "@troupe/core";
import { takeMessage } from "../tasks/take-message.ts";
import type { MessageRequest } from "../tasks/take-message.ts";
import type { TaskRun, TaskRuns } from "../tasks/task-runs.ts";
import { A2AError, wrongParam } from "../wire/a2a-error.ts";
import type { PushCall } from "../wire/call.ts";
import type { Dialect } from "../wire/dialect.ts";
import type { PushConfig, TaskPushConfig } from "../wire/push-config.ts";
import type { PushSender } from "./push-sender.ts";

/**
 * The id of a push config that a client of 0.x stored without an id. If a task has only one config, this id always
 * finds it.
 */
const defaultId = "default";

type PushAnswering = { readonly push: PushSender; readonly dialect: Dialect; readonly owner: SessionOwner };

/** Performs a call about the push configs of a task and returns its result. */
export async function answerPush(call: PushCall, task: TaskRun, answering: PushAnswering): Promise<object | null> {
  const { push, dialect, owner } = answering;
  const taskId = task.run.runId;
  switch (call.op) {
    case "set-push": {
      await push.check(call.config);
      const config = await setPush(task, call.config, { ...answering, fromStart: false });
      return dialect.writePush({ taskId, config });
    }
    case "get-push":
      return dialect.writePush({ taskId, config: pick(await push.list(task, owner), call.configId) });
    case "list-push": {
      const configs = await push.list(task, owner);
      return dialect.writePushPage(
        pageOf(
          configs.map((config) => ({ taskId, config })),
          call,
        ),
      );
    }
    default:
      await push.delete(task, owner, call.configId);
      return dialect.deletedPush;
  }
}

/**
 * Gives a message to an agent, for a client that wants push notifications of all later events of the message's task.
 */
export async function takeNotifying(
  config: PushConfig,
  request: MessageRequest,
  { runs, ...pushing }: PushAnswering & { readonly runs: TaskRuns },
): Promise<TaskRun> {
  const { taskId } = request.message;
  // The push config is checked before the message is accepted, so that a wrong address rejects the message.
  await pushing.push.check(config);
  if (taskId !== undefined) {
    await setPush(await runs.find(taskId, pushing.owner), config, { ...pushing, fromStart: false });
    return await takeMessage(request, runs);
  }
  const task = await takeMessage(request, runs);
  await setPush(task, config, { ...pushing, fromStart: true });
  return task;
}

/** Stores a checked push config for a task. Returns the config with its id. */
export async function setPush(
  task: TaskRun,
  given: PushConfig,
  { push, dialect, owner, fromStart }: PushAnswering & { readonly fromStart: boolean },
): Promise<TaskPushConfig["config"]> {
  const config = { ...given, id: given.id ?? dialect.defaultPushId ?? randomUUID() };
  await push.set(task, { config, dialect, owner, fromStart });
  return config;
}

function pick(configs: readonly TaskPushConfig["config"][], id: string | undefined): TaskPushConfig["config"] {
  const [first, ...more] = configs;
  const isFirst = id === undefined || (id === defaultId && more.length === 0);
  const found = configs.find((config) => config.id === id) ?? (isFirst ? first : undefined);
  if (found !== undefined) return found;
  throw new A2AError("task-not-found", "The task has no push notification config of this id.");
}

/** Returns a page of push configs. A page token is the number of configs before the page. */
function pageOf(configs: readonly TaskPushConfig[], { pageSize = 0, pageToken = "0" }: PageAsked) {
  const start = /^\d{1,4}$/.test(pageToken) ? Number(pageToken) : NaN;
  if (Number.isNaN(start)) throw wrongParam("params.pageToken", "the nextPageToken of the page before");
  const end = pageSize === 0 ? configs.length : start + pageSize;
  return { configs: configs.slice(start, end), nextPageToken: end < configs.length ? String(end) : "" };
}

type PageAsked = { pageSize?: number; pageToken?: string };

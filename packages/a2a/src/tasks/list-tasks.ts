import { TroupeError } from "@troupe/core";
import type { SessionOwner } from "@troupe/core";
import type { RunService, RunView } from "@troupe/core/runs";
import { mapBounded } from "@troupe/core/kit";
import { wrongParam } from "../wire/a2a-error.ts";
import type { ListCall } from "../wire/call.ts";
import { lastMessages } from "../wire/task.ts";
import type { A2ATask, A2ATaskPage } from "../wire/task.ts";
import type { TaskRuns } from "./task-runs.ts";
import { toTask } from "./task-view.ts";
import type { TaskForm } from "./task-view.ts";

/** The number of a caller's newest runs that a listing of tasks covers, and the number of runs that is read at once. */
const mostListed = 1000;
const pageLimit = 100;

/** A task without its artifacts, and the run service from which they are read. */
type Listed = { readonly task: A2ATask; readonly service: RunService };

/** The sort key of a task in a listing: time of its status, newest first, then its id. */
type Place = { readonly at: number; readonly id: string };

/** Lists a caller's tasks by the time of their status. A caller without a user has no tasks to list. */
export async function listTasks(
  runs: TaskRuns,
  call: ListCall,
  { owner, form }: { owner: SessionOwner; form: TaskForm },
): Promise<A2ATaskPage> {
  const { pageSize, pageToken } = call;
  const after = pageToken === undefined ? undefined : readToken(pageToken);
  const found = owner.userId === undefined ? [] : await findTasks(runs, { owner, form });
  const listed = found.filter(({ task }) => isAsked(task, call));
  const sorted = listed.toSorted((one, other) => order(placeOf(one.task), placeOf(other.task)));
  const rest = after === undefined ? sorted : sorted.filter(({ task }) => order(after, placeOf(task)) < 0);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  const hasMore = last !== undefined && rest.length > pageSize;
  return {
    tasks: await mapBounded(page, async (each) => await toListed(each, call, { owner, form })),
    nextPageToken: hasMore ? writeToken(placeOf(last.task)) : "",
    pageSize,
    totalSize: sorted.length,
  };
}

async function findTasks(runs: TaskRuns, { owner, form }: { owner: SessionOwner; form: TaskForm }): Promise<Listed[]> {
  const found: Listed[] = [];
  for (const service of runs.services) {
    let after: string | undefined;
    do {
      const page = await service.list(owner, { limit: pageLimit, after, hasOutputs: true });
      const runsOfAgents = page.runs.filter(({ kind }) => kind !== "workflow");
      found.push(...runsOfAgents.map((run) => ({ task: toBrief(run, form), service })));
      after = page.next;
    } while (after !== undefined && found.length < mostListed);
  }
  return found;
}

/** Returns a task without the results of its run. The results of all listed tasks would take too much memory. */
function toBrief(run: RunView, form: TaskForm): A2ATask {
  const { metadata: _, ...task } = toTask(run, form);
  return { ...task, artifacts: [] };
}

function isAsked({ contextId, status }: A2ATask, call: ListCall): boolean {
  return (
    (call.contextId === undefined || call.contextId === contextId) &&
    (call.state === undefined || call.state === status.state) &&
    (call.since === undefined || status.at >= call.since)
  );
}

async function toListed(
  { task, service }: Listed,
  { hasArtifacts, historyLength }: ListCall,
  { owner, form }: { owner: SessionOwner; form: TaskForm },
): Promise<A2ATask> {
  const whole = hasArtifacts ? await readWhole(service, task, { owner, form }) : task;
  return { ...whole, history: lastMessages(whole.history, historyLength) };
}

async function readWhole(
  service: RunService,
  task: A2ATask,
  { owner, form }: { owner: SessionOwner; form: TaskForm },
): Promise<A2ATask> {
  try {
    return toTask(await service.get(task.id, owner), form);
  } catch (error) {
    // A run that was removed in the meantime is listed in its earlier state, without artifacts.
    if (TroupeError.is(error) && error.code === "not_found") return task;
    throw error;
  }
}

function placeOf({ id, status }: A2ATask): Place {
  return { at: status.at, id };
}

function order(one: Place, other: Place): number {
  if (one.at !== other.at) return other.at - one.at;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

function writeToken({ at, id }: Place): string {
  return Buffer.from(`${at}.${id}`).toString("base64url");
}

function readToken(token: string): Place {
  const [, at, id = ""] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (at === undefined) throw wrongParam("params.pageToken", "the nextPageToken of the page before");
  return { at: Number(at), id };
}

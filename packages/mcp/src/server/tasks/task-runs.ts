import { TroupeError } from "@troupe/core";
import type { RunService, RunView } from "@troupe/core/runs";
import type { Service } from "@troupe/core/transport";
import { readRequestedRun } from "../call-tool.ts";
import type { Caller } from "../call-tool.ts";
import type { ServedTool } from "../served-tools.ts";
import { changesOf } from "./follow-run.ts";

/** A client's task: a run of a service, and the tool that was called. */
export type Task = { readonly service: RunService; readonly tool: ServedTool; readonly run: RunView };

/** A tool call that becomes a task. */
export type TaskRequest = {
  readonly tool: ServedTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  /** The task's requested time to live in milliseconds. */
  readonly ttlMs: number | undefined;
};

/** A page of a user's tasks. */
export type TaskPage = { readonly tasks: readonly Task[]; readonly next?: string };

/** Longest time to live of a task in milliseconds: 30 days. */
const longestTtlMs = 30 * 24 * 3_600_000;

const pageSize = 50;
const cursorForm = /^([01])\.(.{0,100})$/;

/**
 * The tasks of a server's clients. Each task is a stored run of the service: a durable run if the tool's runs are
 * durable, otherwise a run in memory.
 */
export class TaskRuns {
  readonly #service: Service;
  /** The served tools, by kind and name of their runnables. */
  readonly #tools: ReadonlyMap<string, ServedTool>;

  constructor(service: Service, tools: Iterable<ServedTool>) {
    this.#service = service;
    this.#tools = new Map(Array.from(tools, (tool) => [`${tool.target.kind}/${tool.target.name}`, tool]));
  }

  /**
   * Starts a task for a tool call. Resolves once its run is stored. Rejects with the error of a call that cannot start.
   */
  async start({ tool, args, caller, ttlMs }: TaskRequest): Promise<Task> {
    const requested = await readRequestedRun({ tool, args, caller }, this.#service);
    const { kind, name } = tool.target;
    const ttl = ttlMs === undefined ? undefined : Math.min(Math.ceil(ttlMs), longestTtlMs);
    const terms = { kind, name, isStored: true, endsWithClient: false, ttlMs: ttl };
    const beginning = this.#service.servedRuns.beginStored(requested, terms);
    const { record = {} } = caller;
    record.run = beginning;
    const { service, runId } = await beginning;
    record.runId = runId;
    return { service, tool, run: await service.get(runId, "host") };
  }

  /**
   * Returns a task that the caller may access. Throws `not_found` for an unknown or removed task, or a task of another
   * user.
   */
  async find(taskId: string, { opts: { userId, tenantId } }: Caller): Promise<Task> {
    const { run, view } = await this.#service.servedRuns.find(taskId, { userId, tenantId }).catch((error: unknown) => {
      throw TroupeError.is(error) && error.code === "not_found" ? notFound() : error;
    });
    const [task] = this.#tasksOf(run.service, [view]);
    if (task === undefined) throw notFound();
    return task;
  }

  /** Lists a page of a user's tasks. */
  async list(caller: Pick<Caller, "opts">, cursor: string | undefined): Promise<TaskPage> {
    const { place, after } = readCursor(cursor);
    const { durable, services } = this.#service.servedRuns;
    const inMemory = services.find((each) => each !== durable);
    const service = place === "0" ? durable : inMemory;
    const { tasks = [], next } = service === undefined ? {} : await this.#listOf(service, caller, after);
    if (next !== undefined) return await this.#whole(caller, { tasks, next: `${place}.${next}` });
    return place === "1" || inMemory === undefined ? { tasks } : await this.#whole(caller, { tasks, next: "1." });
  }

  /**
   * Returns a page of tasks. Runs of the service that are not tasks are omitted, so pages may be shorter; empty pages
   * are skipped.
   */
  async #whole(caller: Pick<Caller, "opts">, page: TaskPage): Promise<TaskPage> {
    return page.tasks.length === 0 ? await this.list(caller, page.next) : page;
  }

  async #listOf(service: RunService, { opts }: Pick<Caller, "opts">, after: string): Promise<TaskPage> {
    const { userId, tenantId } = opts;
    const page = await service.list({ userId, tenantId }, { limit: pageSize, after: after === "" ? undefined : after });
    const tasks = this.#tasksOf(service, page.runs);
    return page.next === undefined ? { tasks } : { tasks, next: page.next };
  }

  /**
   * Yields the run of a task, and yields it again after each change of its status or questions. Ends when the run is
   * over, the signal aborts or the server ends.
   */
  async *follow({ run: { runId } }: Task, signal: AbortSignal): AsyncGenerator<RunView, void> {
    const found = await this.#service.servedRuns.find(runId, "host");
    const { leave } = found.run;
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    let shown: string | undefined;
    try {
      for await (const view of changesOf(found)) {
        const state = JSON.stringify([view.endedAt ?? view.status === "waiting", view.waits?.map(({ id }) => id)]);
        if (state !== shown) yield view;
        shown = state;
      }
    } finally {
      signal.removeEventListener("abort", leave);
      found.run.end();
    }
  }

  /** Returns runs as tasks, without those whose runnable this server does not serve. */
  #tasksOf(service: RunService, runs: readonly RunView[]): Task[] {
    return runs.flatMap((run) => {
      const tool = this.#tools.get(`${run.kind}/${run.name}`);
      return tool === undefined ? [] : [{ service, tool, run }];
    });
  }
}

function notFound(): TroupeError {
  const message = "Task not found. It may be over and removed, or belong to another user.";
  return new TroupeError("not_found", message);
}

/**
 * Reads a cursor: a position in the list of the durable service (0), or in the list of the in-memory service (1),
 * which follows.
 */
function readCursor(cursor = "0."): { place: string; after: string } {
  const [, place, after] = cursorForm.exec(cursor) ?? [];
  if (place !== undefined && after !== undefined) return { place, after };
  throw new TroupeError("invalid_request", "The cursor must be the nextCursor of the page before.");
}

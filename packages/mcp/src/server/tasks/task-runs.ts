import { TroupeError } from "@troupe/core";
import type { RunService, RunView } from "@troupe/core/runs";
import { createId } from "@troupe/core/kit";
import { readHostRunOptions, ServedRuns } from "@troupe/core/transport";
import { readArguments } from "../call-tool.ts";
import type { Caller } from "../call-tool.ts";
import type { McpServerSettings } from "../mcp-server-options.ts";
import type { ServedTool } from "../served-tools.ts";
import { changesOf } from "./follow-run.ts";

/** A task of a client: a run of a service, and the tool that was called. */
export type Task = { readonly service: RunService; readonly tool: ServedTool; readonly run: RunView };

/** A call of a tool that becomes a task. */
export type TaskRequest = {
  readonly tool: ServedTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  /** The time to live that the client asks for, in milliseconds. */
  readonly ttlMs: number | undefined;
};

/** A page of a user's tasks. */
export type TaskPage = { readonly tasks: readonly Task[]; readonly next?: string };

type TaskSettings = Pick<
  McpServerSettings,
  "tools" | "agents" | "teams" | "workflows" | "runs" | "maxTasks" | "runOptions" | "logger"
>;

/** The longest time to live of a task, in milliseconds: 30 days. */
const longestTtlMs = 30 * 24 * 3_600_000;

/** Milliseconds for which the events of a task in memory are kept after its end: its result is in its record. */
const eventsMs = 60_000;

const pageSize = 50;
const cursorForm = /^([01])\.(.{0,100})$/;

/**
 * The tasks of a server's clients. Each is a run: of the host's `RunService` where that performs the tool's agent, team or
 * workflow, and of a service in memory for all others.
 */
export class TaskRuns {
  readonly #settings: TaskSettings;
  readonly #served: ServedRuns;
  /** The tools by what they run. */
  readonly #tools: ReadonlyMap<string, ServedTool>;
  /** The service in memory, once there is one. */
  #own: RunService | undefined;

  /** Throws `invalid_config` if the host's service has other entries under the names of the tools, or none of them. */
  constructor(settings: TaskSettings) {
    const { tools, agents, teams, workflows, runs, maxTasks: maxOpen, logger } = settings;
    this.#settings = settings;
    this.#served = new ServedRuns({ agents, teams, workflows }, { durable: runs, resumeMs: eventsMs, maxOpen, logger });
    this.#tools = new Map([...tools.values()].map((tool) => [`${tool.target.kind}/${tool.target.name}`, tool]));
  }

  /** The number of tasks of this process that are not over. */
  get size(): number {
    return this.#served.size;
  }

  /** Begins a task. When it resolves, the run is stored. Rejects with the error of a call that cannot begin. */
  async start({ tool, args, caller, ttlMs }: TaskRequest): Promise<Task> {
    const { runOptions } = this.#settings;
    const { input, sessionId = createId() } = readArguments(tool, args);
    const opts = {
      ...(runOptions && readHostRunOptions(await runOptions(caller.request))),
      ...caller.opts,
      runId: createId(),
      sessionId,
      isNewSession: sessionId !== args["sessionId"],
      fromOutside: true as const,
    };
    const { userId, tenantId } = caller.opts;
    const owner = { ...(userId !== undefined && { userId }), ...(tenantId !== undefined && { tenantId }) };
    const ttl = ttlMs === undefined ? undefined : Math.min(Math.ceil(ttlMs), longestTtlMs);
    const target = this.#served.keeperOf({ ...tool.target, endsWithClient: false, ttlMs: ttl });
    if (target === undefined) throw new TypeError("A task has no service that keeps it.");
    const { service } = target;
    if (!target.isDurable) this.#own = service;
    const { runId } = await this.#served.accept({ input, opts, owner, address: caller.address }, target);
    return { service, tool, run: await service.get(runId, "host") };
  }

  /** Returns a task that the caller may reach. An unknown one, another user's and one that was removed are `not_found`. */
  async find(taskId: string, { opts: { userId, tenantId } }: Caller): Promise<Task> {
    const { service, run } = await this.#served.find(taskId, { userId, tenantId }).catch((error: unknown) => {
      throw TroupeError.is(error) && error.code === "not_found" ? notFound() : error;
    });
    const [task] = this.#tasksOf(service, [run]);
    if (task === undefined) throw notFound();
    return task;
  }

  /** Lists the tasks of a user. */
  async list(caller: Pick<Caller, "opts">, cursor: string | undefined): Promise<TaskPage> {
    const { place, after } = readCursor(cursor);
    const service = place === "0" ? this.#settings.runs : this.#own;
    const { tasks = [], next } = service === undefined ? {} : await this.#listOf(service, caller, after);
    if (next !== undefined) return await this.#whole(caller, { tasks, next: `${place}.${next}` });
    return place === "1" || this.#own === undefined ? { tasks } : await this.#whole(caller, { tasks, next: "1." });
  }

  /** Returns a page of tasks. Runs of the service that are no tasks make it shorter; an empty page is none. */
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
   * Yields the run of a task as it is, and again when its status or its questions have changed, until it is over, the signal
   * aborts or the server ends.
   */
  async *follow({ service, run: { runId, kind } }: Task, signal: AbortSignal): AsyncGenerator<RunView, void> {
    const tail = this.#served.follow({ service, runId, kind, caller: "host" });
    signal.addEventListener("abort", tail.leave);
    if (signal.aborted) tail.leave();
    let shown: string | undefined;
    try {
      for await (const run of changesOf(tail)) {
        const state = JSON.stringify([run.endedAt ?? run.status === "waiting", run.waits?.map(({ id }) => id)]);
        if (state !== shown) yield run;
        shown = state;
      }
    } finally {
      signal.removeEventListener("abort", tail.leave);
      tail.end();
    }
  }

  /** Refuses new tasks. Resolves when those of this process are over, and durable ones were handed back. */
  async drain(): Promise<void> {
    await this.#served.drain();
  }

  /** Ends the tasks of this process that are left, and hands durable ones back. */
  endAll(): void {
    this.#served.endAll();
  }

  /** Ends the tasks in memory, and the requests that wait for a task. The host's service goes on. */
  async close(): Promise<void> {
    await this.#served.close();
  }

  /** Leaves out runs of what this server does not serve. */
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

/** Reads a place in the lists of the host's service (0) and then of the one in memory (1). */
function readCursor(cursor = "0."): { place: string; after: string } {
  const [, place, after] = cursorForm.exec(cursor) ?? [];
  if (place !== undefined && after !== undefined) return { place, after };
  throw new TroupeError("invalid_request", "The cursor must be the nextCursor of the page before.");
}

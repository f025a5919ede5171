import { TroupeError } from "@troupe/core";
import type { Json, Runnable } from "@troupe/core";
import type { RunCaller, RunKind, RunService } from "@troupe/core/runs";
import type { FoundRun, RequestedRun, Service, ServedStoredRun } from "@troupe/core/transport";
import { A2AError } from "../wire/a2a-error.ts";

/** A run that is a task, and its record. */
export type TaskRun = FoundRun;

/** The stored runs of a service that are tasks: the runs of its agents and teams. */
export class TaskRuns {
  readonly service: Service;
  /** The served agents and teams, by name. */
  readonly agents: ReadonlyMap<string, Runnable>;

  /** @param names the names of the served agents and teams, in order */
  constructor(service: Service, names: readonly string[]) {
    this.service = service;
    this.agents = new Map(names.map((name) => [name, runnableOf(service, name)]));
    const shared = names.find((name, index) => names.indexOf(name) !== index);
    if (shared === undefined) return;
    const message = `An agent and a team share the name ${JSON.stringify(shared)}, but A2A finds both by their names alone. Rename one of them.`;
    throw new TroupeError("invalid_config", message);
  }

  /** The run services that store the tasks of this server. */
  get services(): readonly RunService[] {
    return this.service.servedRuns.services;
  }

  /** Begins a task of an agent or team, which continues after its client disconnects. */
  async begin(requested: RequestedRun<unknown, unknown>, task: { name: string; note: Json }): Promise<ServedStoredRun> {
    const kind = this.#kindOf(task.name);
    return await this.service.servedRuns.beginStored(requested, { ...task, kind, isStored: true });
  }

  /**
   * Returns a task that the caller may see. Throws `task-not-found` for an unknown or removed task, or a task of
   * another caller.
   */
  async find(taskId: string, caller: RunCaller): Promise<TaskRun> {
    const found = await this.service.servedRuns.find(taskId, caller).catch(orUndefined);
    // Workflow runs are omitted: their result is not an answer that a task could show.
    if (found !== undefined && found.run.kind !== "workflow") return found;
    throw new A2AError("task-not-found", "Task not found. It may have been removed, or belong to another user.");
  }

  #kindOf(name: string): RunKind {
    return this.service.teams.has(name) ? "team" : "agent";
  }
}

function runnableOf({ agents, teams }: Service, name: string): Runnable {
  const found = agents.get(name) ?? teams.get(name);
  if (found !== undefined) return found;
  throw new TroupeError("internal", "A served name has no agent and no team.");
}

function orUndefined(error: unknown): undefined {
  if (TroupeError.is(error) && error.code === "not_found") return undefined;
  throw error;
}

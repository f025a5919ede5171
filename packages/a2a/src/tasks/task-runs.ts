import { ServedRuns } from "@troupe/core/transport";
import type { FoundRun, RunTarget } from "@troupe/core/transport";
import { TroupeError } from "@troupe/core";
import type { Logger, Runnable } from "@troupe/core";
import type { RunCaller, RunService } from "@troupe/core/runs";
import { A2AError } from "../wire/a2a-error.ts";

/** A run that is a task, and the service that has it. */
export type TaskRun = FoundRun;

/** Milliseconds for which the events and the result of a task in memory are kept after its end. */
const keptMs = 3_600_000;

type TaskRunsInit = {
  readonly agents: ReadonlyMap<string, Runnable>;
  readonly runs: RunService | undefined;
  readonly logger: Logger;
  /** Waited for when all runs of this process are over, before a shutdown closes what keeps them. */
  readonly onRunsOver?: (() => Promise<void>) | undefined;
};

/**
 * The runs that are the tasks of a server: those of the host's `RunService`, and for agents that it does not have, those of a
 * service in memory.
 */
export class TaskRuns {
  readonly agents: ReadonlyMap<string, Runnable>;
  readonly served: ServedRuns;
  /** The names of agents that the host's service has as teams. */
  readonly #teams: ReadonlySet<string>;

  /** Throws `invalid_config` if the host's service runs something else under the name of an agent. */
  constructor({ agents, runs, logger, onRunsOver }: TaskRunsInit) {
    this.agents = agents;
    const isTeam = ([name, agent]: [string, Runnable]): boolean => runs?.find("team", name) === agent;
    const teams = new Map([...agents].filter(isTeam));
    const others = new Map([...agents].filter((entry) => !isTeam(entry)));
    this.#teams = new Set(teams.keys());
    this.served = new ServedRuns({ agents: others, teams }, { durable: runs, resumeMs: keptMs, logger, onRunsOver });
  }

  /** Returns the service that performs the runs of an agent: they go on without their client. */
  of(name: string): RunTarget {
    const kind = this.#teams.has(name) ? "team" : "agent";
    const target = this.served.keeperOf({ kind, name, key: undefined, mustExist: false, endsWithClient: false });
    if (target !== undefined) return target;
    throw new TroupeError("internal", "No service keeps the runs of this agent.");
  }

  /** Returns a task that the caller may see. One that is unknown, removed, or another caller's is `task-not-found`. */
  async find(taskId: string, caller: RunCaller): Promise<TaskRun> {
    const found = await this.served.find(taskId, caller).catch(orUndefined);
    // The runs of workflows have no answer that a task could show.
    if (found !== undefined && found.run.kind !== "workflow") return found;
    throw new A2AError("task-not-found", "Task not found. It may have been removed, or belong to another user.");
  }
}

function orUndefined(error: unknown): undefined {
  if (TroupeError.is(error) && error.code === "not_found") return undefined;
  throw error;
}

import { RunService, TroupeError } from "@troupe/core";
import type { DurableWorkflow, Logger, RunCaller, RunKind, Runnable, RunView, SessionOwner } from "@troupe/core";

/** The longest id of a run that is looked for: ids are UUIDs, but a host may give its own. */
const longestId = 128;

/** A kept run and the service that has it. */
export type FoundRun = { readonly service: RunService; readonly run: RunView };

/** The agents, teams and workflows of a router, by name. */
type Served = {
  readonly agents: ReadonlyMap<string, Runnable>;
  readonly teams: ReadonlyMap<string, Runnable>;
  readonly workflows: ReadonlyMap<string, object>;
};

type KeepOptions = {
  readonly durable: RunService | undefined;
  /** Milliseconds for which the events of a run in memory are kept after its end. */
  readonly resumeMs: number;
  readonly logger: Logger;
};

/** Runs that are kept in this process have no limits of their own, as plain runs have none: the host limits requests. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** Milliseconds for which the result of a run in memory is kept after its end, at least. */
const leastRecordMs = 3_600_000;

/**
 * The runs of a router that outlive their connections: the durable ones of the host's `RunService`, and those that are kept
 * in this process, by a service without storage that is made when it is first needed.
 */
export class ServedRuns {
  /** The host's service, if it has given one. */
  readonly durable: RunService | undefined;
  readonly #served: Served;
  readonly #options: KeepOptions;
  readonly #durableNames: Readonly<Record<RunKind, ReadonlySet<string>>>;
  #kept: RunService | undefined;

  /** Throws `invalid_config` if the host's service runs something else under a name of the router. */
  constructor(served: Served, options: KeepOptions) {
    this.durable = options.durable;
    this.#served = served;
    this.#options = options;
    const namesOf = (kind: RunKind, entries: ReadonlyMap<string, object>) => namesIn(options.durable, kind, entries);
    this.#durableNames = {
      agent: namesOf("agent", served.agents),
      team: namesOf("team", served.teams),
      workflow: namesOf("workflow", served.workflows),
    };
  }

  /** The service of the runs that are kept in this process. */
  get kept(): RunService {
    return (this.#kept ??= this.#keep());
  }

  /** Returns the host's service if it performs the runs of an agent, team or workflow of the router. */
  durableFor(kind: RunKind, name: string): RunService | undefined {
    return this.#durableNames[kind].has(name) ? this.durable : undefined;
  }

  /** Returns a run that the caller may reach. A run that is unknown, over and removed, or another user's is `not_found`. */
  async find(runId: string, caller: RunCaller): Promise<FoundRun> {
    for (const service of this.#services()) {
      const run = runId.length <= longestId ? await orUndefined(service.get(runId, caller)) : undefined;
      if (run !== undefined) return { service, run };
    }
    throw runNotFound();
  }

  /** Throws `gone` for the events of a run in memory that has been over for too long. They are removed from time to time. */
  checkKept({ service, run }: FoundRun): void {
    if (service === this.durable || run.endedAt === undefined) return;
    if (run.endedAt + this.#options.resumeMs >= Date.now()) return;
    throw new TroupeError("gone", "The events of this run are not kept any more. Ask for the run itself, by its id.");
  }

  /** Removes the runs of a session. */
  async forgetSession(sessionId: string, owner: SessionOwner): Promise<void> {
    for (const service of this.#services()) await service.forgetSession(sessionId, owner);
  }

  /** Releases what the kept runs hold. The host's service is its own to close. */
  async close(): Promise<void> {
    await this.#kept?.close();
  }

  #keep(): RunService {
    const { agents, teams, workflows } = this.#served;
    const { resumeMs, logger } = this.#options;
    const service = new RunService({
      agents,
      teams,
      workflows: workflows as ReadonlyMap<string, DurableWorkflow>,
      admission: { maxQueued: unlimited, perCaller: unlimited },
      retention: { logMs: resumeMs, recordMs: Math.max(resumeMs, leastRecordMs) },
      logger,
    });
    service.serve({ concurrency: unlimited }).catch((error: unknown) => {
      logger.error("Runs cannot be kept in this process.", { error });
    });
    return service;
  }

  /** The runs in memory first. */
  #services(): RunService[] {
    return [this.#kept, this.durable].filter((service) => service !== undefined);
  }
}

/** Makes the error for a run that does not exist, or not for the caller: the same for all, so that it tells nothing. */
export function runNotFound(): TroupeError {
  return new TroupeError("not_found", "Run not found. It may be over, or belong to another user.");
}

/** Returns the names of entries whose runs a service makes durable. Another entry under such a name is refused. */
function namesIn(
  service: RunService | undefined,
  kind: RunKind,
  entries: ReadonlyMap<string, object>,
): ReadonlySet<string> {
  const found = [...entries].filter(([name, entry]) => {
    const known = service?.find(kind, name);
    if (known === undefined || known === entry) return known !== undefined;
    const message = `runs has another ${kind} under the name ${JSON.stringify(name)}. Give the same ${kind} to both.`;
    throw new TroupeError("invalid_config", message);
  });
  return new Set(found.map(([name]) => name));
}

async function orUndefined<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (TroupeError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

import { closeInOrder, closeTogether } from "../base/async/close-in-order.ts";
import type { DurableWorkflow } from "../runs/attempts/run-service-options.ts";
import { RunService } from "../runs/durable/run-service.ts";
import type { RunCaller, RunView } from "../runs/run-store/run-view.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { RunWait } from "../agents/journal/log-entry.ts";
import type { Logger } from "../base/log/logger.ts";
import type { SessionOwner } from "../sessions/storage/session-owner.ts";
import type { Json } from "../sessions/storage/json.ts";
import { acceptRequestedRun } from "./accept-requested-run.ts";
import type { AnyRequestedRun, KeptRun, RunTarget } from "./accept-requested-run.ts";
import { ActiveRuns } from "./active-runs.ts";
import type { EndingRuns } from "./active-runs.ts";
import { findDurableNames, PerformerWatch } from "./durable-service.ts";
import type { DurableNames, ServedRunnables } from "./durable-service.ts";
import { ClientRun } from "./client-run.ts";
import type { ClientRunPolicy } from "./client-run.ts";
import { ClientTail } from "./client-tail.ts";
import type { FollowedRun } from "./client-tail.ts";
import { OpenShares } from "./open-shares.ts";
import { OpenTails } from "./open-tails.ts";
import type { RequestedRun } from "./run-fields.ts";

/** The longest id of a run that is looked for: ids are UUIDs, but a host may give its own. */
const longestId = 128;

/** The longest timeout of Node. */
const longestMs = 2_147_483_647;

/**
 * Policy of a transport for a run whose client disconnects before the whole answer is sent: `"cancel"` cancels the run,
 * `"continue"` lets it finish without a reader.
 */
export type OnDisconnect = "cancel" | "continue";

/** A kept run and the service that has it. */
export type FoundRun = { readonly service: RunService; readonly run: RunView };

/** A question of a waiting run, with the facts about the run that tell who may answer it. */
export type WaitingQuestion = RunWait & Pick<RunView, "runId" | "sessionId" | "name">;

/** An answer to a question of a waiting run, and who gives it. */
export type GivenAnswer = {
  readonly waitId: string;
  readonly answer: Json;
  readonly caller: SessionOwner;
  /** Returns true if the caller may answer a question of a run that is another user's. @default only the run's own user may */
  readonly mayAnswer?: ((wait: WaitingQuestion) => boolean | Promise<boolean>) | undefined;
};

/** Options of {@link ServedRuns}. */
export type ServedRunsOptions = {
  /** The host's service, which makes the runs of what it names durable. */
  readonly durable?: RunService | undefined;
  /** Milliseconds for which the events of a run that is kept in this process can be read again after its end. */
  readonly resumeMs: number;
  readonly logger: Logger;
  /**
   * The number of runs of users that are kept in this process and not over. Callers without a user have a bound of their own: as
   * many where no user comes, and a tenth beside users. @default 1000
   */
  readonly maxOpen?: number | undefined;
  /** Waited for when the runs of this process are over, before a shutdown closes what keeps them. @default nothing */
  readonly onRunsOver?: (() => Promise<void>) | undefined;
};

/** A request for a run, as far as it decides which service keeps the run. */
export type KeepRequest = Pick<RunTarget, "kind" | "name" | "key" | "mustExist" | "ttlMs"> & {
  /** True if the run is cancelled when its client disconnects. */
  readonly endsWithClient: boolean;
};

/** Runs that are kept in this process do not wait for others. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** Milliseconds for which the result of a run in memory is kept after its end, at least. */
const leastRecordMs = 3_600_000;

/**
 * All runs of a transport: the plain ones, which a client waits for; those that outlive their connections in this process, by a
 * service without storage that is made when it is first needed; and the durable ones of the host's `RunService`. A shutdown
 * ends them together.
 */
export class ServedRuns implements EndingRuns {
  /** The host's service, if it has given one. */
  readonly durable: RunService | undefined;
  readonly #served: ServedRunnables;
  readonly #options: ServedRunsOptions;
  readonly #durableNames: DurableNames;
  readonly #performers: PerformerWatch | undefined;
  readonly #active = new ActiveRuns();
  readonly #openShares: OpenShares;
  readonly #tails = new OpenTails();
  #kept: RunService | undefined;

  /** Throws `invalid_config` if the host's service and the transport do not fit, see `findDurableNames`. */
  constructor(served: ServedRunnables, options: ServedRunsOptions) {
    this.durable = options.durable;
    this.#served = served;
    this.#options = options;
    this.#openShares = new OpenShares(options.maxOpen);
    this.#durableNames = findDurableNames(served, options);
    this.#performers = options.durable && new PerformerWatch(options.durable, options.logger);
  }

  /** Begins a plain run: registers it as active until its `end()`. Throws `unavailable` while a shutdown drains. */
  begin(requested: Pick<RequestedRun<unknown, unknown>, "opts" | "owner">, policy: ClientRunPolicy): ClientRun {
    return new ClientRun(requested, this.#active, policy);
  }

  /**
   * Returns the service that is to keep a run: the host's for what it names, and one of this process for a run with a key or
   * that outlives its connection. Undefined for a plain run, to `begin`.
   */
  keeperOf({ kind, name, key, mustExist, ttlMs, endsWithClient }: KeepRequest): RunTarget | undefined {
    const durable = this.#durableNames[kind].has(name) ? this.durable : undefined;
    if (durable === undefined && key === undefined && endsWithClient) return undefined;
    return { kind, name, service: durable ?? this.#keeper, isDurable: durable !== undefined, key, mustExist, ttlMs };
  }

  /**
   * Has a service accept a requested run, or find it again by its key. Throws `unavailable` while a shutdown drains, for a
   * durable run that nothing performs, and `rate_limited` when the caller has too many.
   */
  async accept(requested: AnyRequestedRun, target: RunTarget): Promise<KeptRun> {
    const accept = async (bounded: RunTarget) => await acceptRequestedRun(requested, bounded, this.#active);
    if (!target.isDurable) return await this.#openShares.accept(requested, target, accept);
    this.#active.checkOpen();
    await this.#performers?.checkRequest();
    return await accept(target);
  }

  /** Follows a kept run for a client, from its beginning or behind the last event that the client has seen. */
  follow(run: FollowedRun): ClientTail {
    return new ClientTail(run, run.service === this.durable ? this.#tails : undefined);
  }

  /** Returns a kept run that the caller may reach. One that is unknown, over and removed, or another user's is `not_found`. */
  async find(runId: string, caller: RunCaller): Promise<FoundRun> {
    for (const service of this.services) {
      const run = runId.length <= longestId ? await orUndefined(service.get(runId, caller)) : undefined;
      if (run !== undefined) return { service, run };
    }
    throw runNotFound();
  }

  /** Returns the open run of a session that a service keeps: the one that it performs or that waits, if there is one. */
  async findOfSession(sessionId: string, owner: SessionOwner): Promise<FoundRun | undefined> {
    for (const service of this.services) {
      const run = await service.runOfSession(sessionId, owner);
      if (run !== null) return { service, run };
    }
    return undefined;
  }

  /** Throws `gone` for the events of a run in memory that has been over for too long. They are removed from time to time. */
  checkKept({ service, run }: FoundRun): void {
    if (service === this.durable || run.endedAt === undefined) return;
    if (run.endedAt + this.#options.resumeMs >= Date.now()) return;
    throw new TroupeError("gone", "The events of this run are not kept any more. Ask for the run itself, by its id.");
  }

  /** Cancels a run of any kind, and returns its status. One that is unknown or another user's is `not_found`. */
  async cancel(runId: string, caller: SessionOwner): Promise<RunView["status"] | "cancelling"> {
    if (this.#active.cancel(runId, caller)) return "cancelled";
    const { service, run } = await this.find(runId, caller);
    const status = await service.cancel(run.runId, caller, "Cancelled on request.");
    return status === "over" ? run.status : status;
  }

  /** Answers a question of a waiting run: one of the caller's own, or one that the host lets the caller answer. */
  async answer(runId: string, given: GivenAnswer): Promise<void> {
    const { service, run } = await this.#findAnswerable(runId, given);
    await service.answer(run.runId, given.waitId, given.answer, "host");
  }

  /** Removes the kept runs of a session. */
  async forgetSession(sessionId: string, owner: SessionOwner): Promise<void> {
    for (const service of this.services) await service.forgetSession(sessionId, owner);
  }

  /** The number of runs of this process that are not over. */
  get size(): number {
    return this.#active.size;
  }

  /** True once new runs are refused. */
  get isDraining(): boolean {
    return this.#active.isDraining;
  }

  /** Throws `unavailable` once new runs are refused. */
  checkOpen(): void {
    this.#active.checkOpen();
  }

  /** Throws `unavailable` if a new run would be refused. */
  async checkReady(): Promise<void> {
    this.#active.checkOpen();
    await this.#performers?.check();
  }

  /**
   * Refuses new runs from now on. Resolves when those of this process are over, and durable ones have been handed back, of which
   * clients are told `interrupted`.
   */
  async drain(): Promise<void> {
    const kept = async () =>
      await closeInOrder(
        () => this.#active.drain(),
        () => this.#options.onRunsOver?.(),
        () => this.#kept?.close(),
      );
    // Runs that wait, or are elsewhere, go on without this process: there is nothing to wait for.
    const durable = async () =>
      await closeInOrder(
        () => this.durable?.drain(longestMs),
        () => this.#tails.endAll(),
      );
    await closeTogether(kept, durable);
  }

  /** Ends all runs of this process that are left, and hands durable ones back. */
  endAll(): void {
    this.#active.endAll();
    // Who waits for `drain` is told of a failure.
    void this.durable?.drain(0).catch(() => undefined);
    void this.#tails.endAll();
  }

  /** Ends all runs of this process, what keeps them, and the following of durable ones. The host's service goes on. */
  async close(): Promise<void> {
    this.#active.endAll();
    await closeInOrder(
      () => this.#tails.endAll(),
      () => this.#kept?.close(),
    );
  }

  async #findAnswerable(runId: string, { waitId, caller, mayAnswer }: GivenAnswer): Promise<FoundRun> {
    try {
      return await this.find(runId, caller);
    } catch (error) {
      if (mayAnswer === undefined || !isNotFound(error)) throw error;
    }
    const found = await this.find(runId, "host");
    const { sessionId, name } = found.run;
    // One that was answered, too: the same answer again is fine.
    const wait = await found.service.getWait(found.run.runId, waitId, "host");
    if (wait === null || !(await mayAnswer({ ...wait, runId: found.run.runId, sessionId, name }))) throw runNotFound();
    return found;
  }

  /** The service of the runs that are kept in this process. */
  get #keeper(): RunService {
    return (this.#kept ??= this.#keep());
  }

  #keep(): RunService {
    const { agents, teams, workflows } = this.#served;
    const { resumeMs, logger } = this.#options;
    const service = new RunService({
      agents,
      teams,
      workflows: (workflows ?? new Map()) as ReadonlyMap<string, DurableWorkflow>,
      admission: { maxQueued: unlimited, perCaller: unlimited },
      retention: { logMs: resumeMs, recordMs: Math.max(resumeMs, leastRecordMs) },
      logger,
    });
    service.serve({ concurrency: unlimited }).catch((error: unknown) => {
      logger.error("Runs cannot be kept in this process.", { error });
    });
    return service;
  }

  /** The services that have runs: the one in memory first, if it was needed yet. */
  get services(): readonly RunService[] {
    return [this.#kept, this.durable].filter((service) => service !== undefined);
  }
}

/** Makes the error for a run that does not exist, or not for the caller: the same for all, so that it tells nothing. */
function runNotFound(): TroupeError {
  return new TroupeError("not_found", "Run not found. It may be over, or belong to another user.");
}

async function orUndefined<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return TroupeError.is(error) && error.code === "not_found";
}

import { closeInOrder, closeTogether } from "../../base/async/close-in-order.ts";
import type { ScheduledRequest } from "../../runs/schedules/schedule-record.ts";
import type { RunService } from "../../runs/service/run-service.ts";
import type { RunCaller, RunKind, RunView } from "../../runs/record/run-view.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { RequestedRun } from "../request/run-fields.ts";
import { acceptRequestedRun, checkUnreported, toScheduledRequest } from "./accept-requested-run.ts";
import type { AnyRequestedRun, ProtocolRunOptions, StoredTerms } from "./accept-requested-run.ts";
import { ActiveRuns } from "./active-runs.ts";
import type { DrainableRuns } from "./active-runs.ts";
import { findDurableNames, PerformerWatch } from "./durable-service.ts";
import type { DurableNames, ServedRunnables } from "./durable-service.ts";
import { Followers } from "./followers.ts";
import { LiveRun } from "./live-run.ts";
import { OpenShares } from "./open-shares.ts";
import { serveInMemory } from "./memory-service.ts";
import type { MemoryServiceOptions } from "./memory-service.ts";
import type { ServedRun } from "./served-run.ts";
import { isNotFound, runNotFound, unlessNotFound } from "./run-not-found.ts";
import { ServedStoredRun } from "./served-stored-run.ts";
import type { StoredRunInit } from "./served-stored-run.ts";

/** The maximum length of a run id that is looked up. Ids are UUIDs, but a host may set other ids. */
const longestId = 128;

/** The maximum timeout of Node, in milliseconds. */
const longestMs = 2_147_483_647;

/**
 * Policy of a service for a run whose client disconnects before the whole answer is sent: `"cancel"` cancels the run,
 * `"continue"` lets it finish without a reader.
 */
export type OnDisconnect = "cancel" | "continue";

/** A stored run, and its record when it was found. */
export type FoundRun = { readonly run: ServedStoredRun; readonly view: RunView };

/** A question of a waiting run, with the facts about the run that determine who may answer it. */
export type WaitingQuestion = RunWait & Pick<RunView, "runId" | "sessionId" | "name">;

/** An answer to a question of a waiting run, and the caller who gives it. */
export type GivenAnswer = {
  readonly waitId: string;
  readonly answer: Json;
  readonly caller: SessionOwner;
  /**
   * Returns true if the caller may answer a question of another user's run. @default only the run's own user may answer
   */
  readonly mayAnswer?: ((wait: WaitingQuestion) => boolean | Promise<boolean>) | undefined;
};

/** Options of {@link ServedRuns}. */
export type ServedRunsOptions = MemoryServiceOptions & {
  /** The host's run service: runs of the agents, teams and workflows that it has are durable. */
  readonly durable?: RunService | undefined;
  /** Policy for runs that are not durable. @default "cancel" */
  readonly onDisconnect?: OnDisconnect | undefined;
  /**
   * The maximum number of open runs of users that are stored in this process. Callers without a user have a separate
   * limit: the same number if there are no users, otherwise a tenth. @default 1000
   */
  readonly maxOpen?: number | undefined;
};

/**
 * All runs that a service serves. Closing it ends all of them. Live runs have a client that waits. Stored runs outlive
 * their connections: durable runs belong to the host's `RunService`, the others to an in-memory service that is created
 * on first use.
 */
export class ServedRuns implements DrainableRuns {
  /** The service of the durable runs, if there is one. */
  readonly durable: RunService | undefined;
  readonly #served: ServedRunnables;
  readonly #options: ServedRunsOptions;
  readonly #durableNames: DurableNames;
  readonly #performers: PerformerWatch | undefined;
  readonly #active = new ActiveRuns();
  readonly #openShares: OpenShares;
  readonly #followers = new Followers();
  readonly #afterRuns: (() => Promise<void>)[] = [];
  #inMemory: RunService | undefined;

  /** Throws `invalid_config` if the host's run service does not fit the served runnables: see `findDurableNames`. */
  constructor(served: ServedRunnables, options: ServedRunsOptions) {
    this.durable = options.durable;
    this.#served = served;
    this.#options = options;
    this.#openShares = new OpenShares(options.maxOpen);
    this.#durableNames = findDurableNames(served, options);
    this.#performers = options.durable && new PerformerWatch(options.durable, options.logger);
  }

  /** Returns true if the runs of an agent, team or workflow are durable. */
  isDurable(kind: RunKind, name: string): boolean {
    return this.durable !== undefined && this.#durableNames[kind].has(name);
  }

  /** Makes the request of a schedule from a requested run, for the `schedules` of the durable runs. */
  toScheduledRequest(requested: AnyRequestedRun, terms: Pick<ProtocolRunOptions, "kind" | "name">): ScheduledRequest {
    return toScheduledRequest(requested, terms);
  }

  /**
   * Returns true if a run with these options is stored: it is durable, has an idempotency key, or outlives its
   * connection.
   */
  stores({ kind, name, key, isStored, endsWithClient }: ProtocolRunOptions): boolean {
    if (isStored === true || key !== undefined || this.isDurable(kind, name)) return true;
    return endsWithClient !== true && this.#options.onDisconnect === "continue";
  }

  /**
   * Begins a run for a client: a stored run if the options require it, otherwise a live run, which ends with its
   * connection. Throws `unavailable` while a shutdown drains, and for a durable run if no process performs such runs.
   * Throws `rate_limited` if the caller has too many runs.
   */
  async begin(requested: RequestedRun<unknown, unknown>, terms: ProtocolRunOptions): Promise<ServedRun> {
    const isLive = requested.opts.isUnstored === true && terms.isStored !== true;
    if (!isLive && this.stores(terms)) return await this.beginStored(requested, terms);
    checkUnreported(requested.webhook);
    return new LiveRun(requested, terms, this.#active);
  }

  /** Begins a stored run, or finds it by its idempotency key. Throws the same errors as `begin`. */
  async beginStored(requested: RequestedRun<unknown, unknown>, terms: ProtocolRunOptions): Promise<ServedStoredRun> {
    // An in-memory service that is created after the end would never be closed, so the end is checked first.
    this.#active.checkOpen();
    // A run whose turns are not stored is kept in this process, where its client can still answer its questions.
    const isDurable = this.isDurable(terms.kind, terms.name) && requested.opts.isUnstored !== true;
    const service = (isDurable ? this.durable : undefined) ?? this.#memory;
    const accept = async (bounded: StoredTerms) => await acceptRequestedRun(requested, bounded, this.#active);
    const target = { ...terms, service, isDurable };
    if (isDurable) await this.#performers?.checkRequest();
    const isLimited = !isDurable && terms.isOwn !== true;
    const started = isLimited ? await this.#openShares.accept(requested, target, accept) : await accept(target);
    return this.#stored(service, { ...terms, ...started, caller: requested.owner });
  }

  /**
   * Returns a stored run that the caller may access. Throws `not_found` for a run that is unknown, already removed, or
   * another user's. With `endsWithClient`, `disconnect` cancels the run.
   */
  async find(
    runId: string,
    caller: RunCaller,
    { endsWithClient }: Pick<ProtocolRunOptions, "endsWithClient"> = {},
  ): Promise<FoundRun> {
    for (const service of this.services) {
      const view = runId.length <= longestId ? await unlessNotFound(service.get(runId, caller)) : undefined;
      if (view !== undefined) return { run: this.#stored(service, { ...view, caller, endsWithClient }), view };
    }
    throw runNotFound();
  }

  /** Returns the open stored run of a session; undefined if there is none. */
  async findOfSession(sessionId: string, owner: SessionOwner): Promise<FoundRun | undefined> {
    for (const service of this.services) {
      const view = await service.runOfSession(sessionId, owner);
      if (view !== null) return { run: this.#stored(service, { ...view, caller: owner }), view };
    }
    return undefined;
  }

  /**
   * Cancels a run of any kind and returns its status. Throws `not_found` for a run that is unknown or another user's.
   */
  async cancel(runId: string, caller: SessionOwner): Promise<RunView["status"] | "cancelling"> {
    if (this.#active.cancel(runId, caller)) return "cancelled";
    const { run, view } = await this.find(runId, caller);
    const status = await run.service.cancel(view.runId, caller, "Cancelled on request.");
    return status === "over" ? view.status : status;
  }

  /** Answers a question of a waiting run: the caller's own run, or a run that the host lets the caller answer. */
  async answer(runId: string, given: GivenAnswer): Promise<void> {
    const { run } = await this.#findAnswerable(runId, given);
    await run.service.answer(run.runId, given.waitId, given.answer, "host");
  }

  /** Sends a signal to the caller's own run, as `RunService.signal` does. */
  async signal(
    runId: string,
    { event, data, id }: { event: string; data: Json; id?: string | undefined },
    caller: SessionOwner,
  ): Promise<void> {
    const { run } = await this.find(runId, caller);
    await run.service.signal(run.runId, event, data, "host", { id });
  }

  /** Removes the stored runs of a session. */
  async forgetSession(sessionId: string, owner: SessionOwner): Promise<void> {
    for (const service of this.services) await service.forgetSession(sessionId, owner);
  }

  /** The number of this process's runs that are not over. */
  get size(): number {
    return this.#active.size;
  }

  /** True once new runs are rejected. */
  get isDraining(): boolean {
    return this.#active.isDraining;
  }

  /** Throws `unavailable` once new runs are rejected. */
  checkOpen(): void {
    this.#active.checkOpen();
  }

  /** Throws `unavailable` if a new run would be rejected. */
  async checkReady(): Promise<void> {
    this.#active.checkOpen();
    await this.#performers?.check();
  }

  /**
   * Rejects new runs from now on. Resolves when this process's runs are over and durable runs have been handed back to
   * their engine; their clients receive `interrupted`.
   */
  async drain(): Promise<void> {
    const inMemory = async () =>
      await closeInOrder(
        () => this.#active.drain(),
        ...this.#afterRuns,
        () => this.#inMemory?.close(),
      );
    // Waiting runs, and runs in other processes, continue without this process, so they are not waited for.
    const durable = async () =>
      await closeInOrder(
        () => this.durable?.drain(longestMs),
        () => this.#followers.endAll(),
      );
    await closeTogether(inMemory, durable);
  }

  /** Lets a shutdown wait for some work after the runs of this process are over, before their storage is closed. */
  afterRuns(work: () => Promise<void>): void {
    this.#afterRuns.push(work);
  }

  /** Ends all remaining runs of this process, and hands durable runs back to their engine. */
  endAll(): void {
    this.#active.endAll();
    // A failure is ignored here, because the caller of `drain` also receives it.
    void this.durable?.drain(0).catch(() => undefined);
    void this.#followers.endAll();
  }

  /** Ends all runs of this process, their service, and the following of durable runs. The host's service continues. */
  async close(): Promise<void> {
    this.#active.endAll();
    await closeInOrder(
      () => this.#followers.endAll(),
      () => this.#inMemory?.close(),
    );
  }

  async #findAnswerable(runId: string, { waitId, caller, mayAnswer }: GivenAnswer): Promise<FoundRun> {
    try {
      return await this.find(runId, caller);
    } catch (error) {
      if (mayAnswer === undefined || !isNotFound(error)) throw error;
    }
    const found = await this.find(runId, "host");
    const { service, sessionId, name } = found.run;
    // A wait that was already answered is included, because repeating the same answer is allowed.
    const wait = await service.getWait(found.run.runId, waitId, "host");
    if (wait === null || !(await mayAnswer({ ...wait, runId: found.run.runId, sessionId, name }))) throw runNotFound();
    return found;
  }

  #stored(
    service: RunService,
    init: Omit<StoredRunInit, "service" | "isDurable" | "followers" | "resumeMs">,
  ): ServedStoredRun {
    const isDurable = service === this.durable;
    const followers = isDurable ? this.#followers : undefined;
    return new ServedStoredRun({ ...init, service, isDurable, followers, resumeMs: this.#options.resumeMs });
  }

  /** The service of the runs that are stored in this process. */
  get #memory(): RunService {
    return (this.#inMemory ??= serveInMemory(this.#served, this.#options));
  }

  /** The services that store runs. The service in memory is first, if it has been created. */
  get services(): readonly RunService[] {
    return [this.#inMemory, this.durable].filter((service) => service !== undefined);
  }
}

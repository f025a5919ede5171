import { closeInOrder } from "../../base/async/close-in-order.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import { readHostRunOptions } from "../../agents/agent/host-run-options.ts";
import type { HostRunOptions } from "../../agents/agent/host-run-options.ts";
import { logWarnings } from "../../agents/run/log-warnings.ts";
import type { Registry } from "../../agents/run/registry.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import { readKeyHeaders } from "../../model/keys/read-key-headers.ts";
import { HostAndOriginGuard } from "../../provider/wire/request-source.ts";
import type { RunService } from "../../runs/service/run-service.ts";
import type { RunCaller } from "../../runs/record/run-view.ts";
import type { ServedWorkflow } from "../request/served-registry.ts";
import type { Principal } from "../request/principal.ts";
import { readTraceContext } from "../request/trace-context.ts";
import { readRunFields } from "../request/run-fields.ts";
import type { RequestedRun, RunReading } from "../request/run-fields.ts";
import type { RequestSource } from "../request/service-request.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { RunHandle } from "../runs/run-handle.ts";
import { ServedRuns } from "../runs/served-runs.ts";
import type { WaitingQuestion } from "../runs/served-runs.ts";
import type { DrainableRuns } from "../runs/active-runs.ts";
import { ServedSessions } from "../sessions/served-sessions.ts";
import { readCloseOptions, Shutdown } from "../shutdown/shutdown.ts";
import type { CloseOptions } from "../shutdown/shutdown.ts";
import type { ClosableServer } from "../shutdown/watched-server.ts";
import { readStart } from "./begin-run.ts";
import type { AgentStart, NameIn, OutputIn, ResultIn, TeamStart, TypedService, WorkflowStart } from "./begin-run.ts";
import { makeRuns } from "./make-runs.ts";
import { refuseUnrunnable } from "./refuse-unrunnable.ts";
import { readServiceRules } from "./service-options.ts";
import type { ServiceOptions, ServiceRules } from "./service-options.ts";

/** The registries of a service by kind, from which typed clients infer names and outputs. */
export type ServiceRegistries = {
  readonly agents: Registry<Runnable>;
  readonly teams: Registry<Runnable>;
  readonly workflows: Registry<ServedWorkflow>;
};

/**
 * A service made by {@link createService}: agents, teams and workflows by name, with their runs, sessions and limits.
 * Protocols make it accessible, and servers answer its requests.
 */
export class Service<Served extends ServiceRegistries = ServiceRegistries> {
  /** Only a type: the served agents, teams and workflows by kind and name. It has no value. */
  declare readonly served?: Served;
  readonly agents: ReadonlyMap<string, Runnable>;
  readonly teams: ReadonlyMap<string, Runnable>;
  readonly workflows: ReadonlyMap<string, ServedWorkflow>;
  /** The service of the durable runs, if runs are durable here. */
  readonly runs: RunService | undefined;
  readonly logger: Logger;
  /** The checked options, with defaults. */
  readonly settings: ServiceRules;
  /** The sessions of all agents and teams. */
  readonly sessions: ServedSessions;
  readonly servedRuns: ServedRuns;
  /** Checks the source of requests: their host and the page that sent them. */
  readonly guard: HostAndOriginGuard;
  readonly #shutdown: Shutdown;
  /** True if this service made its run service, so that it also performs the runs and closes it. */
  readonly #ownsRuns: boolean;
  #opening: Promise<void> | undefined;
  #isLogging = false;

  /** Called by `createService`. Throws `invalid_config` for a wrong option. */
  constructor(options: ServiceOptions, owner = "createService") {
    const settings = readServiceRules(options, owner);
    const { agents, teams, workflows, logger, resumeMs, durable } = settings;
    this.settings = settings;
    this.agents = agents;
    this.teams = teams;
    this.workflows = workflows;
    this.logger = logger;
    this.#ownsRuns = durable !== undefined;
    this.runs = settings.runs ?? makeRuns(settings);
    refuseUnrunnable(settings, this.runs);
    this.guard = new HostAndOriginGuard(settings);
    this.sessions = new ServedSessions([...agents.values(), ...teams.values()]);
    this.servedRuns = new ServedRuns(
      { agents, teams, workflows },
      {
        durable: this.runs,
        onDisconnect: settings.onDisconnect,
        resumeMs,
        logger,
        telemetry: settings.telemetry,
      },
    );
    this.#shutdown = new Shutdown(logger);
    this.#shutdown.add(this.#endingRuns());
  }

  /** Resolves when the service has ended. The host can then close the resources of the service, such as its storage. */
  get closed(): Promise<void> {
    return this.#shutdown.finished;
  }

  /**
   * Ends the service in order. New runs are refused; listeners and idle connections are closed; active runs have the
   * grace period, and durable runs go back to their engine. Resolves when all of this is done; a second call resolves
   * at the same time.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    await this.#shutdown.begin(readCloseOptions(options, "service.close"));
  }

  /**
   * Closes an HTTP server when the service ends, without resetting connections that carry a request. Call it before the
   * server gets its first request. It also turns absolute request targets into paths.
   */
  attach(server: ClosableServer): this {
    this.#shutdown.attach(server);
    return this;
  }

  /** Adds runs or connections, such as the runs of a protocol, that end with the service. */
  add(part: DrainableRuns): this {
    this.#shutdown.add(part);
    return this;
  }

  /**
   * Starts to log warnings of the agents, teams and workflows. Also starts to perform the durable runs in this process,
   * unless the host made the run service or `perform` is `false`. Each server calls `open` once it listens. Only the
   * first call has an effect, and, if it failed, the next call.
   */
  async open(): Promise<void> {
    this.#logWarnings();
    await (this.#opening ??= this.#perform());
  }

  #logWarnings(): void {
    if (this.#isLogging) return;
    this.#isLogging = true;
    const { agents, teams, workflows, logger } = this;
    const unsubscribe = logWarnings([...agents.values(), ...teams.values(), ...workflows.values()], logger);
    void this.closed.then(unsubscribe);
  }

  async #perform(): Promise<void> {
    if (!this.#ownsRuns || this.settings.durable?.perform === false) return;
    try {
      await this.runs?.serve();
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  /**
   * Begins a run of an agent, a team or a workflow for this program, and returns its handle. Once it resolves, a
   * durable run survives the end of every process. The runs of a service that is not durable end with this process.
   * Rejects with `invalid_request` for wrong options, and with `not_found` for a name that is not served.
   */
  begin<Of extends TypedService, Name extends NameIn<Of, "agents">>(
    this: Of,
    start: AgentStart<Name>,
  ): Promise<RunHandle<OutputIn<Of, "agents", Name>>>;
  begin<Of extends TypedService, Name extends NameIn<Of, "teams">>(
    this: Of,
    start: TeamStart<Name>,
  ): Promise<RunHandle<OutputIn<Of, "teams", Name>>>;
  begin<Of extends TypedService, Name extends NameIn<Of, "workflows">>(
    this: Of,
    start: WorkflowStart<Name>,
  ): Promise<RunHandle<ResultIn<Of, Name>>>;
  async begin(start: AgentStart | TeamStart | WorkflowStart): Promise<RunHandle> {
    const { requested, terms } = readStart(this, start);
    await this.open();
    const run = await this.servedRuns.beginStored(requested, terms);
    return new RunHandle(run, async () => await this.servedRuns.find(run.runId, "host"));
  }

  /**
   * Returns the handle of a run by its id. Rejects with `not_found` if the run is unknown, was removed, or belongs to
   * another caller.
   *
   * @param caller the owner for whom the run is found; by default the program itself, which may reach every run
   */
  async find(runId: string, caller: RunCaller = "host"): Promise<RunHandle> {
    await this.open();
    const { run } = await this.servedRuns.find(runId, caller);
    return new RunHandle(run, async () => await this.servedRuns.find(runId, caller));
  }

  /** Returns the signed-in user of a request, undefined without the option `authenticate`. Rejects with its error. */
  async authenticate(source: RequestSource): Promise<Principal | undefined> {
    return await this.settings.authenticate?.(source.toRequest());
  }

  /** Returns the host's options for the run of a request. Rejects with the error of the host's function. */
  async runOptionsFor(source: RequestSource): Promise<HostRunOptions | undefined> {
    const { runOptions, limits } = this.settings;
    const given = runOptions && readHostRunOptions(await runOptions(source.toRequest()));
    return limits === undefined ? given : { limits, ...given };
  }

  /** Returns the function that returns true if the sender of a request may answer another user's question. */
  mayAnswerFor(source: RequestSource): ((wait: WaitingQuestion) => boolean | Promise<boolean>) | undefined {
    const { mayAnswer } = this.settings;
    return mayAnswer && ((wait) => mayAnswer(source.toRequest(), wait));
  }

  /** Returns the address by which callers without a user are counted; undefined if addresses are not trusted. */
  addressOf(source: RequestSource): string | undefined {
    const { trustAddresses } = this.settings;
    if (trustAddresses === false) return undefined;
    return trustAddresses === true ? source.remoteAddress : trustAddresses(source.toRequest());
  }

  /**
   * Returns the telemetry for the run of a request, which belongs to the trace in the request's headers or metadata;
   * undefined if the service has none.
   */
  telemetryFor(sent: Readonly<Record<string, unknown>>): Telemetry | undefined {
    return this.settings.telemetry?.continueFrom({ caller: readTraceContext(sent) });
  }

  /**
   * Reads and checks everything that a client and the host specify for a run before it starts: user, session, keys,
   * input and the host's options. Throws the error to answer with. Records the run's id for the request log.
   */
  async readRun<Subject, Input>(
    exchange: Exchange,
    subject: Subject,
    { readInput, readFields, where }: RunReading<Input>,
  ): Promise<RequestedRun<Subject, Input>> {
    const { principal } = exchange;
    const hostOptions = await this.runOptionsFor(exchange);
    const fields = await readFields();
    const { bodyUserId, genericApiKeyHeader } = this.settings;
    const readKeys = (bodyKey: unknown) => readKeyHeaders(exchange.headers, { genericApiKeyHeader, bodyKey });
    const address = this.addressOf(exchange);
    const telemetry = this.settings.telemetry === undefined ? undefined : this.telemetryFor(exchange.headers);
    const allowsWebhook = this.runs?.webhooks.allowsCallers;
    const given = { subject, readInput, principal, hostOptions, address, telemetry, where };
    const requested = readRunFields(fields, { ...given, bodyUserId, readKeys, allowsWebhook });
    exchange.record.runId = requested.opts.runId;
    return requested;
  }

  /**
   * Closes the connection of an exchange after the answer while the service ends, because an open connection would
   * keep the service alive.
   */
  closeIfDraining(exchange: Exchange): void {
    if (this.servedRuns.isDraining && !exchange.isHeadSent) exchange.setHeader("Connection", "close");
  }

  /** The runs of the service, in the form for its shutdown, which also waits for the titles of sessions. */
  #endingRuns(): DrainableRuns {
    const { servedRuns, sessions } = this;
    return {
      get size() {
        return servedRuns.size;
      },
      drain: async () =>
        await closeInOrder(
          () => servedRuns.drain(),
          () => sessions.flush(),
          () => this.#ownsRuns && this.runs?.close(),
        ),
      endAll: () => {
        servedRuns.endAll();
        void sessions.flush(0);
      },
    };
  }
}

/** The type of a registry without entries. */
type Nothing = ReadonlyMap<never, never>;

/**
 * Makes a service of agents, teams and workflows. `serve`, `createRouter` and `createHandler` serve it over the
 * protocols that they receive. All options are checked here: a wrong option throws `invalid_config`. `owner` is the
 * function that received the options, for errors.
 */
export function createService<
  const Agents extends Registry<Runnable> = Nothing,
  const Teams extends Registry<Runnable> = Nothing,
  const Workflows extends Registry<ServedWorkflow> = Nothing,
>(
  options: ServiceOptions<Agents, Teams, Workflows>,
  owner?: string,
): Service<{ readonly agents: Agents; readonly teams: Teams; readonly workflows: Workflows }> {
  return new Service(options, owner);
}

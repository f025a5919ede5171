import { closeInOrder } from "../../base/async/close-in-order.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { findWait } from "../record/answers.ts";
import { findRun, runsOfSession, withLoggedEnd } from "../record/find-runs.ts";
import { listRuns } from "../record/list-runs.ts";
import { readInput } from "../record/run-input.ts";
import type { RunStorage } from "../record/run-record.ts";
import type {
  AcceptedRun,
  RunCaller,
  RunEvent,
  RunKind,
  RunListOptions,
  RunPage,
  RunRequest,
  RunView,
  UpgradeFinding,
} from "../record/run-view.ts";
import { EphemeralRunStorage } from "../readers/memory-runs.ts";
import { readEvents } from "../readers/run-tail.ts";
import { admissionOf } from "../processes/admission.ts";
import { lookUpTarget } from "../processes/durable-target.ts";
import { checkOpenRuns } from "../processes/upgrade-check.ts";
import { LocalEngine } from "../processes/local-engine.ts";
import type { RunEngine, Serving } from "../processes/run-engine.ts";
import { readServeOptions, readServiceOptions, warnOfUnsafeSteps } from "../processes/run-service-options.ts";
import type { RunServeOptions, RunServiceOptions, ServiceSettings } from "../processes/run-service-options.ts";
import { RunSubmission } from "../processes/run-sweep.ts";
import { makeServiceParts } from "../processes/service-parts.ts";
import type { ServiceParts } from "../processes/service-parts.ts";
import { RunPerformer } from "../performer/run-performer.ts";
import { checkNote } from "./accept-request.ts";
import { acceptRun } from "./accept-run.ts";
import type { SignalOptions } from "../record/signals.ts";
import { answerWait, cancelRun, signalRun } from "./run-commands.ts";
import type { RunControl } from "./run-commands.ts";
import { RunRemoval } from "./run-removal.ts";
import { makeScheduling } from "./run-schedules.ts";
import type { RunSchedules } from "./run-schedules.ts";
import { listenToSessions, RunServing, ServiceHosting } from "./run-serving.ts";
import type { RunWebhooks } from "../webhooks/run-webhooks.ts";

/**
 * Durable runs of agents, teams and workflows. An accepted run is a record in the storage that any connection can
 * attach to, cancel and answer, and that continues after a restart. Without a storage the runs end with the process,
 * and connections can still attach to them.
 */
export class RunService {
  /** Webhooks, which report the ends and waits of runs, and subscriptions to runs in the forms of protocols. */
  readonly webhooks: RunWebhooks;
  /** Schedules that begin runs. */
  readonly schedules: RunSchedules;
  /** The model calls that this process makes for its runs. */
  readonly modelCalls: ServiceParts["modelCalls"];
  /** The facts from which a transport decides if it may serve this service. */
  readonly hosting: ServiceHosting;
  /** The removal of runs whose time is over. */
  readonly removal: RunRemoval;
  readonly #settings: ServiceSettings;
  readonly #engine: RunEngine;
  readonly #parts: ServiceParts;
  readonly #control: RunControl;
  readonly #submission: RunSubmission;
  /** Returns the number of open runs of a caller, counted across all processes if several may accept runs. */
  readonly #admit: (caller: CountedCaller) => Promise<number>;
  readonly #serving: RunServing;
  readonly #unlisten: readonly (() => void)[];

  constructor(options: RunServiceOptions = {}) {
    const settings = readServiceOptions(options);
    this.#settings = settings;
    // Runs in memory end with their process, so no other process can repeat their steps.
    if (settings.storage !== undefined) warnOfUnsafeSteps(settings, settings.logger);
    const storage = (settings.storage ?? new EphemeralRunStorage(settings.retention.maxBytesPerRun)) as RunStorage;
    const engine: RunEngine = settings.engine ?? new LocalEngine();
    this.#engine = engine;
    const parts = makeServiceParts(settings, { storage, isAlone: engine.isServed !== undefined });
    this.#parts = parts;
    this.webhooks = parts.webhooks;
    this.modelCalls = parts.modelCalls;
    this.#submission = new RunSubmission(engine, parts.logger);
    this.#admit = admissionOf(parts, engine, settings.admission);
    const { schedules, runner } = makeScheduling({
      parts,
      engine,
      settings,
      service: this,
      checkOpen: () => this.#serving.checkOpen(),
    });
    this.schedules = schedules;
    const performer = new RunPerformer(parts, (record) => void this.#submission.submit(record));
    this.#control = { parts, engine, performer };
    const cancel = async (runId: string) => await this.cancel(runId, "host", "It is removed.");
    this.removal = new RunRemoval({ parts, retention: settings.retention, cancel });
    this.#serving = new RunServing({ parts, engine, performer, schedules: runner, removal: this.removal });
    // Removes runs of deleted sessions and users, and cancels a waiting run if a new run of its session asks for it.
    this.#unlisten = listenToSessions(settings, {
      forgetSession: (sessionId, owner) => this.forgetSession(sessionId, owner),
      forgetUser: (owner) => this.forgetUser(owner),
      cancelWaiting: async (runId) => {
        return (await this.cancel(runId, "host", "Another run takes its place.")) !== "cancelling";
      },
    });
    this.hosting = new ServiceHosting(parts, engine, () => this.#serving.isServing);
  }

  /** Returns the agent, team or workflow that is registered under a name; undefined if unknown. */
  find(kind: RunKind, name: string): object | undefined {
    return lookUpTarget(this.#settings, kind, name);
  }

  /**
   * Accepts a run, which `serve` performs. Once this resolves, a run in a persistent storage survives the end of every
   * process of the service. A request with an earlier request's idempotency key returns that request's run.
   */
  async accept(request: RunRequest): Promise<AcceptedRun> {
    this.#serving.checkOpen();
    try {
      const isEphemeral = this.#settings.storage === undefined;
      return await acceptRun({ parts: this.#parts, engine: this.#engine, isEphemeral, admit: this.#admit }, request);
    } catch (error) {
      if (TroupeError.is(error) && error.code === "rate_limited")
        this.#parts.telemetry?.measure("refusal", { reason: error.code });
      throw error;
    }
  }

  /**
   * Returns the open run of an owner's session, preferring a run that is running or waits to a queued run; `null` if
   * there is none.
   */
  async runOfSession(sessionId: string, owner: SessionOwner): Promise<RunView | null> {
    const open = await runsOfSession(this.#parts, sessionId, owner);
    const first = open.find(({ status }) => status !== "queued") ?? open.at(-1);
    return first === undefined ? null : this.#parts.toView(first);
  }

  /** Returns a run. An unknown run, and a run of another owner, are `not_found`. */
  async get(runId: string, caller: RunCaller): Promise<RunView> {
    const record = await findRun(this.#parts, runId, caller);
    return this.#parts.toView(await withLoggedEnd(this.#parts.store, record, this.#parts.now));
  }

  /** Lists the runs of an owner with a user, or all runs of the service for `"host"`, newest first. */
  async list(caller: RunCaller, options: RunListOptions = {}): Promise<RunPage> {
    const { store, now } = this.#parts;
    return await listRuns({ store, now, recordMs: this.#settings.retention.recordMs }, caller, options);
  }

  /** Returns the input of a run as it was accepted; undefined for a workflow that began without input. */
  async readInput(runId: string, caller: RunCaller): Promise<Json | undefined> {
    return (await readInput(this.#parts.store.storage, await findRun(this.#parts, runId, caller))).input;
  }

  /**
   * Returns the events of a run after a position, both existing and future ones, up to the run's end. The reader may
   * leave at any time; the run continues. Reading rejects with `gone` if events after the position were removed.
   *
   * @param after the id of the last event that the reader has; all events by default
   */
  events(runId: string, caller: RunCaller, after?: string): AsyncIterableIterator<RunEvent, undefined> {
    this.#serving.checkOpen();
    return readEvents(this.#parts, runId, { caller, after });
  }

  /** Returns the events of a run after a position that are already stored. It does not wait for more events. */
  storedEvents(runId: string, caller: RunCaller, after?: string): AsyncIterableIterator<RunEvent, undefined> {
    this.#serving.checkOpen();
    return readEvents(this.#parts, runId, { caller, after, isBounded: true });
  }

  /**
   * Cancels a run. Returns `cancelled` if the run has ended now, `cancelling` if the process that performs it was
   * notified, and `over` if the run had ended before.
   */
  async cancel(runId: string, caller: RunCaller, reason?: string): Promise<"cancelled" | "cancelling" | "over"> {
    const record = await findRun(this.#parts, runId, caller);
    return await cancelRun(this.#control, record, reason);
  }

  /** Returns a wait of a run by its id, even if it was answered; `null` if the run has no wait of this id. */
  async getWait(runId: string, waitId: string, caller: RunCaller): Promise<RunWait | null> {
    return (await findWait(this.#parts.store.storage, await findRun(this.#parts, runId, caller), waitId)) ?? null;
  }

  /**
   * Answers a question of a waiting run, which then continues. The first answer counts; a different second answer is
   * `conflict`.
   */
  // oxlint-disable-next-line max-params -- the contract's shape
  async answer(runId: string, waitId: string, answer: Json, caller: RunCaller): Promise<void> {
    const record = await findRun(this.#parts, runId, caller);
    const woken = await answerWait(this.#parts, record, { waitId, answer });
    if (woken !== null) await this.#submission.submit(woken);
  }

  /**
   * Sends a signal to a run. The next `waitFor` step for this event takes it: first in, first out. A signal that
   * arrives before its step is kept. Rejects with `conflict` after the end of the run.
   *
   * @param data JSON of at most 64 KB
   */
  // oxlint-disable-next-line max-params -- the contract's shape
  async signal(runId: string, event: string, data: Json, caller: RunCaller, options?: SignalOptions): Promise<void> {
    const woken = await signalRun(this.#parts, await findRun(this.#parts, runId, caller), { event, data, options });
    if (woken !== null) await this.#submission.submit(woken);
  }

  /**
   * Changes the note of a run, safely with concurrent changes. `change` receives the current note and returns the new
   * note; it may be called several times.
   */
  async changeNote(runId: string, caller: RunCaller, change: (note: Json | undefined) => Json): Promise<void> {
    await findRun(this.#parts, runId, caller);
    await this.#parts.store.change(runId, (record) => ({ ...record, note: checkNote(change(record.note)) }));
  }

  /** Removes a run with its events, answers and result. An open run is cancelled first. */
  async delete(runId: string, caller: RunCaller): Promise<void> {
    await this.removal.remove(await findRun(this.#parts, runId, caller));
  }

  /** Removes all runs of a session. */
  async forgetSession(sessionId: string, owner: SessionOwner): Promise<void> {
    await this.removal.removeSession(sessionId, owner);
  }

  /** Removes all runs and schedules of a user. */
  async forgetUser(owner: SessionOwner): Promise<void> {
    await this.schedules.forgetUser(owner);
    await this.removal.removeUser(owner);
  }

  /**
   * Begins to perform runs in this process, starting with unfinished runs of an earlier process. Call `drain` before
   * the process ends.
   */
  async serve(options: RunServeOptions = {}): Promise<Serving> {
    this.#serving.checkOpen();
    return await this.#serving.serve(readServeOptions(options).concurrency);
  }

  /**
   * Ends the work of `serve`: starts no more runs, and resolves when the runs in progress here are over. After
   * `graceMs` milliseconds they go back to the engine. A second call may shorten the time.
   */
  async drain(graceMs: number): Promise<void> {
    await this.#serving.drain(graceMs);
  }

  /** Lists the open runs that cannot continue with this process's runnables. It changes nothing. */
  checkUpgrade(): AsyncGenerator<UpgradeFinding, void> {
    return checkOpenRuns(this.#parts);
  }

  /**
   * Hands the runs in progress back to the engine and ends all readers. A storage or an engine from the options stays
   * open: the caller closes it afterwards.
   */
  async close(): Promise<void> {
    if (!this.#serving.close()) return;
    const { engine, storage } = this.#settings;
    await closeInOrder(
      () => this.drain(0),
      ...this.#unlisten,
      () => this.#parts.tails.close(),
      () => engine === undefined && this.#engine.close(),
      () => storage === undefined && this.#parts.store.storage.close(),
    );
  }
}

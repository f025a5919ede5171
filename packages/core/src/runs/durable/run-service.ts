import { closeInOrder } from "../../base/async/close-in-order.ts";
import { mapBounded } from "../../base/async/map-bounded.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { RunPaused } from "../../agents/run/run-paused.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { checkNote } from "./accept-request.ts";
import { acceptRun } from "./accept-run.ts";
import { answerWait } from "./answer-wait.ts";
import { findWait, putCancel } from "../run-store/answers.ts";
import { findRun, listRuns, runsOfSession, withLoggedEnd } from "../run-store/find-runs.ts";
import { lookUpTarget } from "../attempts/durable-target.ts";
import { EphemeralRunStorage } from "../run-events/ephemeral-run-storage.ts";
import { listenToSessions } from "./listen-to-sessions.ts";
import { LocalEngine } from "../attempts/local-engine.ts";
import { processStateOf } from "../attempts/process-state.ts";
import type { Performing } from "../attempts/process-state.ts";
import { prefixesOf, removeRun, removeRuns } from "./remove-runs.ts";
import type { Perform, RunEngine, Serving } from "../attempts/run-engine.ts";
import { readInput } from "../run-store/run-input.ts";
import { RunSchedules } from "./run-schedules.ts";
import { cancelled } from "../run-store/run-opts.ts";
import { RunPerformer } from "../attempts/run-performer.ts";
import { ServiceHosting } from "../attempts/service-hosting.ts";
import { makeServiceParts } from "../attempts/service-parts.ts";
import { RunSubmission } from "../attempts/run-submission.ts";
import { warnOfUnsafeSteps } from "../attempts/unsafe-steps.ts";
import { admissionOf } from "./shared-admission.ts";
import type { ServiceParts } from "../attempts/service-parts.ts";
import { byKeys, isEnded, toView } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import { readServeOptions, readServiceOptions } from "../attempts/run-service-options.ts";
import type { RunServiceOptions, RunServeOptions, ServiceSettings } from "../attempts/run-service-options.ts";
import { writeInOrder } from "../states/run-transitions.ts";
import { RunSubscriptions } from "./run-subscriptions.ts";
import type { RunStorage } from "../run-store/run-record.ts";
import { RunSweep } from "../attempts/run-sweep.ts";
import { RunTail } from "../run-events/run-tail.ts";
import type {
  AcceptedRun,
  RunCaller,
  RunEvent,
  RunKind,
  RunListOptions,
  RunPage,
  RunRequest,
  RunStatus,
  RunView,
  UpgradeFinding,
} from "../run-store/run-view.ts";
import { findMissingParts } from "../attempts/upgrade-check.ts";

/**
 * Durable runs of agents, teams and workflows. An accepted run is a record in the storage that any connection can
 * attach to, cancel and answer, and that continues after a restart. Without a storage the runs end with the process,
 * and connections can still attach to them.
 */
export class RunService {
  /** Subscriptions to runs for receivers other than the runs' clients. A transport serves them. */
  readonly subscriptions: RunSubscriptions;
  /** Schedules that begin runs, if the engine supports schedules. */
  readonly schedules: RunSchedules | undefined;
  /** The facts from which a transport decides if it serves this service. */
  readonly hosting: ServiceHosting;
  readonly #settings: ServiceSettings;
  readonly #storage: RunStorage;
  readonly #engine: RunEngine;
  readonly #parts: ServiceParts;
  readonly #performing: Map<string, Performing>;
  readonly #submission: RunSubmission;
  readonly #performer: RunPerformer;
  /** Returns the number of open runs of a caller, across all processes if there may be several. */
  readonly #admit: (caller: CountedCaller) => Promise<number>;
  readonly #unlisten: readonly (() => void)[];
  #sweep: RunSweep | undefined;
  #unobserve: (() => void) | undefined;
  #serving: Promise<Serving> | undefined;
  #isClosed = false;

  constructor(options: RunServiceOptions = {}) {
    const settings = readServiceOptions(options);
    this.#settings = settings;
    // Runs in memory end with their process, so they need no warning.
    if (settings.storage !== undefined) warnOfUnsafeSteps(settings, settings.logger);
    this.#storage = (settings.storage ?? new EphemeralRunStorage(settings.retention.maxBytesPerRun)) as RunStorage;
    this.#engine = settings.engine ?? new LocalEngine();
    this.#performing = processStateOf(this.#storage).performing;
    const isAlone = this.#engine.isServed !== undefined;
    this.#parts = makeServiceParts(settings, { storage: this.#storage, isAlone });
    this.#submission = new RunSubmission(this.#engine, this.#parts.logger);
    this.#admit = admissionOf(this.#parts, this.#engine, settings.admission);
    this.subscriptions = new RunSubscriptions({ ...this.#parts, find: (...asked) => this.#find(...asked) });
    this.schedules = this.#makeSchedules();
    this.#performer = new RunPerformer(this.#parts, this.#performing, (record, afterMs) =>
      this.#submission.submitAgain(record, afterMs),
    );
    this.#unlisten = this.#listenToSessions();
    this.hosting = new ServiceHosting(this.#parts, this.#engine, () => this.#serving !== undefined);
  }

  /** Returns the agent, team or workflow that the service runs under a name; undefined if unknown. */
  find(kind: RunKind, name: string): object | undefined {
    return lookUpTarget(this.#settings, kind, name);
  }

  /**
   * Accepts a run, which `serve` performs. Once this resolves, a run in a persistent storage survives the end of every
   * process of the service. A request with an earlier request's idempotency key returns that request's run.
   */
  async accept(request: RunRequest): Promise<AcceptedRun> {
    this.#checkOpen();
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
   * Returns the open run of an owner's session, preferring one that is running or waits to a queued one; `null` if
   * there is none.
   */
  async runOfSession(sessionId: string, owner: SessionOwner): Promise<RunView | null> {
    const open = await runsOfSession(this.#parts.store, sessionId, owner);
    const first = open.find(({ status }) => status !== "queued") ?? open.at(-1);
    return first === undefined ? null : this.#toView(first);
  }

  /** Returns a run. An unknown run, and a run of another owner, are `not_found`. */
  async get(runId: string, caller: RunCaller): Promise<RunView> {
    const record = await this.#find(runId, caller);
    return this.#toView(await withLoggedEnd(this.#parts.store, record, this.#parts.now));
  }

  /** Lists the runs of an owner with a user, or all runs of the service for `"host"`, newest first. */
  async list(caller: RunCaller, options: RunListOptions = {}): Promise<RunPage> {
    return await listRuns({ store: this.#parts.store, recordMs: this.#settings.retention.recordMs }, caller, options);
  }

  /** Returns the input of a run as it was accepted; undefined for a workflow that began without input. */
  async readInput(runId: string, caller: RunCaller): Promise<Json | undefined> {
    return (await readInput(this.#storage, await this.#find(runId, caller))).input;
  }

  /**
   * Returns the events of a run after a position, both existing and future ones, up to the run's end. The reader may
   * leave at any time; the run continues. A position whose events were removed is `gone`.
   *
   * @param after the id of the last event that the reader has; all events by default
   */
  events(runId: string, caller: RunCaller, after?: string): AsyncIterableIterator<RunEvent, undefined> {
    this.#checkOpen();
    const { store, begun } = this.#parts;
    // A run that has just begun here has one attempt, and its owner does not change: its known record need not be read
    // again.
    const open = async () => await findRun({ store, known: begun.get(runId)?.record }, runId, caller);
    return new RunTail({ runId, after, open, storage: this.#storage, tails: this.#parts.tails });
  }

  /** Returns the events of a run after a position that are already stored. It does not wait for more events. */
  storedEvents(runId: string, caller: RunCaller, after?: string): AsyncIterableIterator<RunEvent, undefined> {
    this.#checkOpen();
    const open = async () => await this.#find(runId, caller);
    return new RunTail({ runId, after, open, storage: this.#storage, tails: this.#parts.tails, isBounded: true });
  }

  /**
   * Cancels a run. Returns `cancelled` if it has ended by that, `cancelling` if its process was notified, and `over` if
   * it had ended before.
   */
  async cancel(runId: string, caller: RunCaller, reason?: string): Promise<"cancelled" | "cancelling" | "over"> {
    const record = await withLoggedEnd(this.#parts.store, await this.#find(runId, caller), this.#parts.now);
    if (isEnded(record.status)) return "over";
    const [{ store }, performing] = [this.#parts, this.#performing.get(runId)];
    let status: RunStatus = record.status;
    await writeInOrder("cancel", {
      open: record.status === "waiting" ? () => store.open(record) : undefined,
      cancel: () => putCancel(this.#storage, runId, reason),
      relisted: async () => {
        performing?.cancel(cancelled(reason));
        // An attempt that suspends the run checks for a cancellation after the record shows the wait. If it has checked
        // already, this call handles it.
        const current = (await store.read(runId)) ?? record;
        status = current.status;
        if (current.status === "waiting") await store.open(current);
      },
    });
    if (isEnded(status)) return "over";
    if (status === "running" || (performing !== undefined && status !== "waiting")) return "cancelling";
    // A job of the run that starts nevertheless finds that the run is over.
    await this.#engine.withdraw(runId).catch((error: unknown) => {
      this.#parts.logger?.warn("The engine could not drop the job of a cancelled run.", { runId, error });
    });
    return await this.#cancelUnperformed(record, reason);
  }

  async #cancelUnperformed(record: RunRecord, reason: string | undefined): Promise<"cancelled" | "cancelling"> {
    try {
      await this.#performer.endUnperformed(record, cancelled(reason));
      return "cancelled";
    } catch (error) {
      if (!(error instanceof RunPaused) || error.reason !== "overtaken") throw error;
      // An attempt has just begun. It finds the cancellation, unless it has checked already.
      this.#performing.get(record.runId)?.cancel(cancelled(reason));
      return "cancelling";
    }
  }

  /** Returns a wait of a run by its id, even if it was answered; `null` if the run has no wait of this id. */
  async getWait(runId: string, waitId: string, caller: RunCaller): Promise<RunWait | null> {
    return (await findWait(this.#storage, await this.#find(runId, caller), waitId)) ?? null;
  }

  /**
   * Answers a question of a waiting run, which then continues. The first answer counts; a different second answer is
   * `conflict`.
   */
  // oxlint-disable-next-line max-params -- the contract's shape
  async answer(runId: string, waitId: string, answer: Json, caller: RunCaller): Promise<void> {
    const record = await this.#find(runId, caller);
    const woken = await answerWait(this.#parts, record, { waitId, answer });
    if (woken !== null) await this.#submission.submit(woken);
  }

  /**
   * Changes the note of a run, safely with concurrent changes. `change` receives the current note and returns the new
   * note; it may be called several times.
   */
  async changeNote(runId: string, caller: RunCaller, change: (note: Json | undefined) => Json): Promise<void> {
    await this.#find(runId, caller);
    await this.#parts.store.change(runId, (record) => ({ ...record, note: checkNote(change(record.note)) }));
  }

  /** Removes a run with its events, answers and result. An open run is cancelled first. */
  async delete(runId: string, caller: RunCaller): Promise<void> {
    await this.#remove(await this.#find(runId, caller));
  }

  /** Removes all runs of a session. */
  async forgetSession(sessionId: string, owner: SessionOwner): Promise<void> {
    await this.#removeAll([byKeys.session(owner, sessionId)]);
  }

  /** Removes all runs of a user. */
  async forgetUser(owner: SessionOwner): Promise<void> {
    await this.#removeAll(prefixesOf(owner));
  }

  /**
   * Begins to perform runs in this process, starting with unfinished runs of an earlier process. Drain it before the
   * process ends.
   */
  async serve(options: RunServeOptions = {}): Promise<Serving> {
    this.#checkOpen();
    const { concurrency } = readServeOptions(options);
    if (this.#serving !== undefined) {
      throw new TroupeError("conflict", "This service performs runs already. Drain it first, or make another service.");
    }
    this.#serving = this.#serve(concurrency);
    try {
      await this.#serving;
    } catch (error) {
      this.#serving = undefined;
      throw error;
    }
    return { drain: (graceMs) => this.drain(graceMs) };
  }

  async #serve(concurrency: number): Promise<Serving> {
    const { store, admission, nodes, now, logger, telemetry } = this.#parts;
    const isAlone = this.#engine.isServed !== undefined;
    // The process is published as a performer first, because other processes may leave jobs to it.
    if (!isAlone) await nodes.perform();
    const perform: Perform = (job, signal) => this.#performer.perform(job, signal);
    const options = { concurrency, ...(this.schedules && { onSchedule: this.schedules.onSchedule }) };
    const serving = await this.#engine.serve(perform, options).catch(async (error: unknown) => {
      await nodes.retire();
      throw error;
    });
    this.#sweep = new RunSweep({
      store,
      admission,
      now,
      performing: this.#performing,
      submit: async (run) => await this.#engine.submit(run),
      cleanUp: async () => {
        await this.cleanUp();
        await this.schedules?.restore();
      },
      cancel: (runId, reason) => this.#performing.get(runId)?.cancel(cancelled(reason)),
      onError: (error) => logger?.warn("Durable runs could not be looked through. That is tried again.", { error }),
    });
    this.#sweep.start();
    this.#unobserve = telemetry?.observe("queue.depth", () => this.#engine.waiting());
    await this.schedules?.restore();
    // An engine of several processes has kept the jobs of all other open runs.
    await this.#sweep.takeUp(isAlone ? undefined : ({ waitsForUpgrade = false }) => waitsForUpgrade);
    return serving;
  }

  /**
   * Ends the work of `serve`: starts no more runs, and resolves when the runs in progress here are over. After
   * `graceMs` milliseconds they are handed back. A second call may shorten the time.
   */
  async drain(graceMs: number): Promise<void> {
    // `serve` may not have completed yet.
    const serving = await this.#serving?.catch(() => undefined);
    const { nodes, begun, store } = this.#parts;
    const retired = nodes.retire();
    await closeInOrder(
      () => serving?.drain(graceMs),
      // Until the sweep stops, the runs in progress are renewed, and their cancellations are detected.
      () => (this.#unobserve?.(), this.#sweep?.stop()),
      () => (this.#serving = undefined),
      () => begun.clear(),
      () => retired,
      () => store.flush(),
    );
  }

  /**
   * Removes runs whose `ttlMs` is over, and the logs and records of runs that ended long enough ago. `serve` calls it
   * periodically.
   */
  async cleanUp(): Promise<void> {
    const { logMs, recordMs } = this.#settings.retention;
    const now = this.#parts.now();
    await this.#parts.store.removeOld(now - Math.min(logMs, recordMs), now - recordMs);
    for await (const records of this.#parts.store.listExpired()) {
      // A run that another process performs is tried again later.
      await mapBounded(records, (record) => this.#remove(record).catch(() => undefined));
    }
  }

  /** Lists the open runs that cannot continue with this process's runnables. It changes nothing. */
  async *checkUpgrade(): AsyncGenerator<UpgradeFinding, void> {
    for await (const record of this.#parts.store.listAll()) {
      if (isEnded(record.status)) continue;
      const missing = await findMissingParts(this.#parts, record);
      const { runId, kind, name } = record;
      if (missing.length > 0) yield { runId, kind, name, missing };
    }
  }

  /**
   * Hands back the runs in progress and ends all readers. A storage or an engine from the options stays open: the
   * caller closes it afterwards.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { engine, storage } = this.#settings;
    await closeInOrder(
      () => this.drain(0),
      () => this.#submission.end(),
      ...this.#unlisten,
      () => this.#parts.tails.close(),
      () => this.subscriptions.close(),
      () => engine === undefined && this.#engine.close(),
      () => storage === undefined && this.#storage.close(),
    );
  }

  #toView(record: RunRecord): RunView {
    return toView(record, this.#settings.retention.recordMs);
  }

  async #find(runId: string, caller: RunCaller): Promise<RunRecord> {
    return await findRun({ store: this.#parts.store }, runId, caller);
  }

  async #remove(record: RunRecord): Promise<void> {
    const cancel = async (runId: string) => await this.cancel(runId, "host", "It is removed.");
    await removeRun({ parts: this.#parts, performing: this.#performing, cancel }, record);
  }

  async #removeAll(prefixes: readonly string[]): Promise<void> {
    await removeRuns(this.#parts.store, prefixes, (record) => this.#remove(record));
  }

  #makeSchedules(): RunSchedules | undefined {
    const { schedules } = this.#engine;
    const accept = async (request: RunRequest) => await this.accept(request);
    return schedules && new RunSchedules({ ...this.#parts, schedules, storage: this.#storage, accept });
  }

  /**
   * Adds a listener to the session stores of the runnables, and returns the functions that remove it. The listener
   * removes the runs of deleted sessions and users, and cancels a waiting run for a new one.
   */
  #listenToSessions(): (() => void)[] {
    return listenToSessions(this.#settings, {
      forgetSession: (sessionId, owner) => this.forgetSession(sessionId, owner),
      forgetUser: (owner) => this.forgetUser(owner),
      cancelWaiting: async (runId) => {
        return (await this.cancel(runId, "host", "Another run takes its place.")) !== "cancelling";
      },
    });
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new TroupeError("unavailable", "The run service was closed.");
  }
}

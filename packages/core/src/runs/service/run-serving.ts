import { closeInOrder } from "../../base/async/close-in-order.ts";
import type { RunPerformer } from "../performer/run-performer.ts";
import type { Perform, Serving, RunEngine } from "../processes/run-engine.ts";
import { RunSweep } from "../processes/run-sweep.ts";
import { cancelled } from "../record/run-record.ts";
import type { RunRemoval } from "./run-removal.ts";
import type { ScheduleRunner } from "../schedules/schedule-runner.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import { registryEntries } from "../../agents/run/registry.ts";
import type { RunKind } from "../record/run-view.ts";
import type { ServiceParts } from "../processes/service-parts.ts";
import type { SessionListener } from "../../sessions/session/session-listener.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Registries } from "../processes/run-service-options.ts";

/** The facts about a `RunService` from which a transport decides if it may serve the service. */
export class ServiceHosting {
  readonly #parts: ServiceParts;
  readonly #engine: RunEngine;
  readonly #isServing: () => boolean;

  constructor(parts: ServiceParts, engine: RunEngine, isServing: () => boolean) {
    this.#parts = parts;
    this.#engine = engine;
    this.#isServing = isServing;
  }

  /** Returns the names under which the service runs agents, teams or workflows. */
  names(kind: RunKind): string[] {
    return registryEntries<object>(this.#parts.registries[`${kind}s`]).map(([name]) => name);
  }

  /**
   * Throws `invalid_config` if no transport may serve the service: the treatment of callers' API keys is not
   * configured.
   */
  checkServable(): void {
    if (this.#parts.vault.isSettled) return;
    throw new TroupeError(
      "invalid_config",
      "A RunService with a lasting storage needs sealKeys where it is served, with which the API keys of callers are encrypted. Give it secrets of 32 characters or more, or sealKeys: false to refuse requests with a key.",
    );
  }

  /** True if other processes may perform the runs: the engine distributes them. */
  get isShared(): boolean {
    return this.#engine.isServed === undefined;
  }

  /**
   * Returns the place in which runs are performed. `"here"`: this process, also while `serve` is starting.
   * `"elsewhere"`: another live process. `"none yet"`: no process at present, but one may start. `"nothing"`: the
   * engine is local and is not served.
   */
  async findPerformer(): Promise<"here" | "elsewhere" | "none yet" | "nothing"> {
    if (this.#isServing()) return "here";
    if (this.#engine.isServed !== undefined) return this.#engine.isServed() ? "here" : "nothing";
    return (await this.#parts.nodes.someOther(() => true)) ? "elsewhere" : "none yet";
  }
}

/**
 * Adds a listener to the session stores of all runnables, including their members and steps. Returns the functions that
 * remove it.
 */
export function listenToSessions({ agents, teams, workflows }: Registries, listener: SessionListener): (() => void)[] {
  const stores = new Set<unknown>();
  for (const entries of [registryEntries(agents), registryEntries(teams), registryEntries<object>(workflows)]) {
    for (const [, target] of entries) addStores(stores, target);
  }
  return [...stores].flatMap((store) => {
    const add = readProperty(store, "addListener");
    return typeof add === "function" ? [Reflect.apply(add, store, [listener]) as () => void] : [];
  });
}

/** Collects the session stores of a runnable, and of the members or steps in it. */
function addStores(stores: Set<unknown>, target: unknown): void {
  const sessions = readProperty(target, "sessions");
  if (sessions !== undefined) stores.add(sessions);
  for (const name of ["members", "plannedSteps"]) {
    const parts = readProperty(target, name);
    if (Array.isArray(parts))
      for (const part of parts as unknown[]) addStores(stores, readProperty(part, "agent") ?? part);
  }
}

type ServingInit = {
  readonly parts: ServiceParts;
  readonly engine: RunEngine;
  readonly performer: RunPerformer;
  readonly schedules: ScheduleRunner;
  readonly removal: RunRemoval;
};

/** The part of a process that performs runs, from `serve` to `drain`. */
export class RunServing {
  readonly #init: ServingInit;
  #sweep: RunSweep | undefined;
  #unobserve: (() => void)[] = [];
  #serving: Promise<Serving> | undefined;
  #isClosed = false;

  constructor(init: ServingInit) {
    this.#init = init;
  }

  /** True while this process performs runs, also while `serve` is starting. */
  get isServing(): boolean {
    return this.#serving !== undefined;
  }

  /** Throws `unavailable` once the service is closed. */
  checkOpen(): void {
    if (this.#isClosed) throw new TroupeError("unavailable", "The run service was closed.");
  }

  /** Marks the service as closed. Returns false if it was closed already. */
  close(): boolean {
    const wasOpen = !this.#isClosed;
    this.#isClosed = true;
    return wasOpen;
  }

  /** Begins to perform runs, starting with unfinished runs of an earlier process. */
  async serve(concurrency: number): Promise<Serving> {
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
    const { parts, engine, performer, schedules, removal } = this.#init;
    const { store, admission, performing, due, nodes, now, logger, telemetry } = parts;
    const isAlone = engine.isServed !== undefined;
    // This process is published as a performer first, because other processes may leave jobs to it.
    if (!isAlone) await nodes.perform();
    const perform: Perform = (job, signal) => performer.perform(job, signal);
    const serving = await engine.serve(perform, { concurrency }).catch(async (error: unknown) => {
      await nodes.retire();
      throw error;
    });
    this.#sweep = new RunSweep({
      store,
      admission,
      now,
      performing,
      due,
      submit: async (run) => await engine.submit(run),
      cleanUp: () => removal.cleanUp(),
      cancel: (runId, reason) => performing.get(runId)?.cancel(cancelled(reason)),
      onError: (error) => logger?.warn("Durable runs could not be looked through. That is tried again.", { error }),
    });
    this.#sweep.start();
    due.start((runId) => performer.wakeDue(runId));
    parts.webhooks.start();
    if (telemetry !== undefined) this.#unobserve = observeQueue(telemetry, engine, now);
    // An engine shared by several processes keeps its jobs, so that only runs that wait for an upgrade are submitted
    // again. Any other engine has lost its jobs, so that all open runs are submitted.
    await this.#sweep.takeUp(isAlone ? undefined : ({ waitsForUpgrade = false }) => waitsForUpgrade);
    schedules.start();
    return serving;
  }

  /**
   * Starts no more runs, and resolves when the runs in progress are over or, after `graceMs` milliseconds, back in the
   * engine.
   */
  async drain(graceMs: number): Promise<void> {
    // `serve` may not have completed yet.
    const serving = await this.#serving?.catch(() => undefined);
    const { parts, schedules } = this.#init;
    const { nodes, begun, due, store, webhooks } = parts;
    const retired = nodes.retire();
    await closeInOrder(
      () => schedules.stop(),
      () => due.stop(),
      () => serving?.drain(graceMs),
      // The sweep stops after the runs: until then it renews the entries of runs in progress, and detects their
      // cancellations.
      () => this.#sweep?.stop(),
      () => this.#unobserve.splice(0).forEach((unobserve) => unobserve()),
      () => webhooks.stop(graceMs),
      () => (this.#serving = undefined),
      () => begun.clear(),
      () => retired,
      () => store.flush(),
    );
  }
}

/** Lets telemetry read the depth and the age of an engine's queue. Returns the functions that end this. */
function observeQueue(telemetry: Telemetry, engine: RunEngine, now: () => number): (() => void)[] {
  const depth = telemetry.observe("queue.depth", () => engine.waiting());
  const read = engine.waitingSince?.bind(engine);
  if (read === undefined) return [depth];
  const age = telemetry.observe("queue.age", async () => {
    const since = await read();
    return since === undefined ? 0 : Math.max(0, now() - since) / 1000;
  });
  return [depth, age];
}

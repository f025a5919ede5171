import { TroupeError } from "../errors/troupe-error.ts";
import type { Json } from "../storage/json.ts";
import type { SessionOwner } from "../session/session-owner.ts";
import type { Serving } from "./run-engine.ts";
import { readServeOptions, readServiceOptions } from "./run-service-options.ts";
import type { RunServiceOptions, ServeOptions, ServiceSettings } from "./run-service-options.ts";
import type {
  AcceptedRun,
  RunCaller,
  RunEvent,
  RunKind,
  RunPage,
  RunRequest,
  RunStatus,
  RunView,
  UpgradeFinding,
} from "./run-view.ts";

/** A page of a listing of runs: its size, the cursor after which it begins, and the status of the runs. */
export type RunListOptions = {
  /** Only runs of this status. */
  status?: RunStatus | undefined;
  /** Number of runs, from 1 to 100. @default 20 */
  limit?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
};

/**
 * Durable runs of agents, teams and workflows: a run that was accepted is a record in the storage, which any connection can
 * attach to, cancel and answer, and which goes on after a restart.
 */
export class RunService {
  readonly #settings: ServiceSettings;

  constructor(options: RunServiceOptions = {}) {
    this.#settings = readServiceOptions(options);
  }

  /** Returns the agent, team or workflow that the service runs under a name, if there is one. */
  find(kind: RunKind, name: string): object | undefined {
    throw notYet(kind, name);
  }

  /** Accepts a run. When this resolves, the run survives every process of the service. */
  async accept(request: RunRequest): Promise<AcceptedRun> {
    throw notYet(request);
  }

  /** Returns the open run of an owner's session, the one under way first; `null` when there is none. */
  async runOfSession(sessionId: string, owner: SessionOwner): Promise<RunView | null> {
    throw notYet(sessionId, owner);
  }

  /** Returns a run. An unknown run and one of another owner are `not_found`. */
  async get(runId: string, caller: RunCaller): Promise<RunView> {
    throw notYet(runId, caller);
  }

  /** Lists the runs of an owner with a user, newest first. */
  async list(owner: SessionOwner, options: RunListOptions = {}): Promise<RunPage> {
    throw notYet(owner, options);
  }

  /**
   * Returns the events of a run behind a position, those that are there and those to come, up to its end. The reader may
   * leave at any time; the run goes on. A position whose events were removed is `gone`.
   *
   * @param after the id of the last event that the reader has; all events by default
   */
  events(runId: string, caller: RunCaller, after?: string): AsyncIterableIterator<RunEvent, undefined> {
    throw notYet(runId, caller, after);
  }

  /**
   * Cancels a run: `cancelled` when it has ended by that, `cancelling` when its process was told, and `over` when it had
   * ended before.
   */
  async cancel(runId: string, caller: RunCaller, reason?: string): Promise<"cancelled" | "cancelling" | "over"> {
    throw notYet(runId, caller, reason);
  }

  /** Answers a question of a waiting run, which then goes on. The first answer counts; another one is `conflict`. */
  // oxlint-disable-next-line max-params -- the contract's shape
  async answer(runId: string, waitId: string, answer: Json, caller: RunCaller): Promise<void> {
    throw notYet(runId, waitId, answer, caller);
  }

  /** Removes a run with its events, answers and result. A run under way is cancelled first. */
  async delete(runId: string, caller: RunCaller): Promise<void> {
    throw notYet(runId, caller);
  }

  /** Removes all runs of a session. */
  async forgetSession(sessionId: string, owner: SessionOwner): Promise<void> {
    throw notYet(sessionId, owner);
  }

  /** Removes all runs of a user. */
  async forgetUser(owner: SessionOwner): Promise<void> {
    throw notYet(owner);
  }

  /** Begins to perform runs in this process, unfinished ones of an earlier process first. */
  async serve(options: ServeOptions = {}): Promise<Serving> {
    throw notYet(readServeOptions(options));
  }

  /**
   * Ends what `serve` began: takes no more runs, and resolves when those under way here are over. After `graceMs` milliseconds
   * they are handed back. A second call may shorten the time.
   */
  async drain(graceMs: number): Promise<void> {
    throw notYet(graceMs);
  }

  /** Lists the open runs that cannot go on with the runnables of this process. It changes nothing. */
  checkUpgrade(): AsyncIterable<UpgradeFinding> {
    throw notYet();
  }

  /** Ends serving and all open tails. The storage is the caller's to close, after that. */
  async close(): Promise<void> {
    throw notYet(this.#settings);
  }
}

function notYet(..._of: readonly unknown[]): TroupeError {
  return new TroupeError("unavailable", "Durable runs cannot be performed yet.");
}

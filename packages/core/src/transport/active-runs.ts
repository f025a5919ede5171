import { TroupeError } from "../base/errors/troupe-error.ts";
import { mayReach } from "../runs/run-store/find-runs.ts";
import type { RunReach } from "../runs/run-store/find-runs.ts";
import type { SessionOwner } from "../sessions/storage/session-owner.ts";

/** A set of runs that a shutdown must see ended before a service ends: those of one transport. */
export interface EndingRuns {
  /** The number of runs that are not over. */
  readonly size: number;
  /** Refuses new runs from now on. Resolves when the last run is over. */
  drain(): Promise<void>;
  /** Ends all runs that are left. */
  endAll(): void;
}

type Cancel = (reason: TroupeError) => void;
type ActiveRun = { readonly reach: RunReach; readonly cancel: Cancel };

/** Milliseconds after which a refused client may ask again, while the service drains: another instance may take over. */
const retryAfterMs = 1000;

/**
 * The register of a transport's runs that are not over. Through it a run is cancelled by its id, and a shutdown refuses
 * new runs, waits for active ones and ends them.
 */
export class ActiveRuns implements EndingRuns {
  readonly #runs = new Map<string, ActiveRun>();
  readonly #waiting: (() => void)[] = [];
  #isDraining = false;

  get size(): number {
    return this.#runs.size;
  }

  /** True once new runs are refused. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Throws `unavailable` while draining. */
  checkOpen(): void {
    if (this.#isDraining) throw shuttingDown();
  }

  /** Registers a run and returns the function to call when it is over. Throws `unavailable` while draining. */
  begin(runId: string, reach: RunReach, cancel: Cancel): () => void {
    this.checkOpen();
    this.#runs.set(runId, { reach, cancel });
    return () => {
      this.#runs.delete(runId);
      if (this.#runs.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Ends a run as cancelled. Returns false if it is over, unknown, or not reached by the caller: see {@link mayReach}. */
  cancel(runId: string, caller: SessionOwner = {}): boolean {
    const run = this.#runs.get(runId);
    if (run === undefined || !mayReach(run.reach, caller)) return false;
    run.cancel(new TroupeError("cancelled", "The run was cancelled on request."));
    return true;
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  endAll(): void {
    for (const { cancel } of this.#runs.values()) cancel(shuttingDown());
  }
}

function shuttingDown(): TroupeError {
  const fields = { retryAfterMs };
  return new TroupeError("unavailable", "The service is shutting down. Try again in a moment.", { fields });
}

import { TroupeError } from "../../base/errors/troupe-error.ts";
import { mayReach } from "../../runs/record/find-runs.ts";
import type { RunReach } from "../../runs/record/find-runs.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";

/** The runs of one transport. A shutdown waits for their end, or ends them, before the service ends. */
export interface DrainableRuns {
  /** The number of the transport's runs that are not over. */
  readonly size: number;
  /** Rejects new runs from now on. Resolves when the last run is over. */
  drain(): Promise<void>;
  /** Cancels all runs of the transport that are not over. */
  endAll(): void;
}

type Cancel = (reason: TroupeError) => void;
type ActiveRun = { readonly reach: RunReach; readonly cancel: Cancel };

/**
 * Milliseconds after which a client that was rejected while the service drains may retry: another instance may have
 * taken over.
 */
const retryAfterMs = 1000;

/**
 * The register of a transport's active runs. Through it a run is cancelled by its id, and a shutdown rejects new runs,
 * waits for active runs and ends them.
 */
export class ActiveRuns implements DrainableRuns {
  readonly #runs = new Map<string, ActiveRun>();
  readonly #waiting: (() => void)[] = [];
  #isDraining = false;

  get size(): number {
    return this.#runs.size;
  }

  /** True once new runs are rejected. */
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

  /** Cancels a run. Returns false if it is over, unknown, or not accessible to the caller: see {@link mayReach}. */
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

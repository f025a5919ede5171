import { TroupeError } from "@troupe/core";
import type { SessionOwner } from "@troupe/core";

/** Ends a run before its time, for this reason. */
type Cancel = (reason: TroupeError) => void;
type ActiveRun = { readonly owner: SessionOwner; readonly cancel: Cancel };

/** What whoever is refused while the service drains may wait before asking again: another instance may answer at once. */
const retryAfterMs = 1000;

/** The runs that are under way: to be cancelled by whoever owns them, and to be waited for before the service ends. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  readonly #waiting: (() => void)[] = [];
  #isDraining = false;

  /** How many there are. */
  get size(): number {
    return this.#runs.size;
  }

  /** True once no more runs are taken. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Takes note of a run, and returns what to call when it is over. While draining, no more are taken: `unavailable`. */
  begin(runId: string, owner: SessionOwner, cancel: Cancel): () => void {
    if (this.#isDraining) throw shuttingDown();
    this.#runs.set(runId, { owner, cancel });
    return () => {
      this.#runs.delete(runId);
      if (this.#runs.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Ends a run as cancelled. One that is over, was never there or is somebody else's is `not_found`. */
  cancel(runId: string, caller: SessionOwner = {}): void {
    const run = this.#runs.get(runId);
    if (run === undefined || !mayCancel(run.owner, caller)) {
      throw new TroupeError("not_found", "There is no such run under way: it is over, or was never there.");
    }
    run.cancel(new TroupeError("cancelled", "The run was cancelled on request."));
  }

  /** From now on no run begins. Resolves when the last one is over. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends those that are left: their clients are told that the service is not available any more. */
  endAll(): void {
    for (const { cancel } of this.#runs.values()) cancel(shuttingDown());
  }
}

/** One without a user is open to whoever knows its id, within its tenant. */
function mayCancel(owner: SessionOwner, caller: SessionOwner): boolean {
  return owner.tenantId === caller.tenantId && (owner.userId === undefined || owner.userId === caller.userId);
}

function shuttingDown(): TroupeError {
  return new TroupeError("unavailable", "The service is shutting down. Ask again in a moment.", {
    fields: { retryAfterMs },
  });
}

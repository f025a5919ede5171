import { CallerHoldings } from "../../sessions/session/caller-holdings.ts";
import { CallerShares, shareRefused } from "../../sessions/session/caller-shares.ts";
import { countedCaller } from "../../sessions/session/counted-caller.ts";
import { createId } from "../../base/util/create-id.ts";
import type { AnyRequestedRun, RunAcceptance, StoredTerms } from "./accept-requested-run.ts";

/** The default maximum of open runs of all users that are stored in this process. */
const defaultMaxOpen = 1000;

/** Limits each caller to a share of the open runs that are stored in this process. */
export class OpenShares {
  readonly #shares: CallerShares;
  readonly #open = new CallerHoldings();

  constructor(maxOpen = defaultMaxOpen) {
    this.#shares = new CallerShares({ total: maxOpen });
  }

  /**
   * Accepts a run if it already exists or its caller's share has room; otherwise throws `rate_limited`. A new run
   * counts in its caller's share until it is over.
   */
  async accept(
    { opts, address }: AnyRequestedRun,
    target: StoredTerms,
    accept: (target: StoredTerms) => Promise<RunAcceptance>,
  ): Promise<RunAcceptance> {
    const caller = countedCaller(opts, address);
    const place = createId();
    const beforeStored = async (): Promise<void> => {
      const full = this.#shares.fullOf(caller, this.#open.of(caller));
      if (full !== undefined) throw shareRefused(full, "open runs");
      this.#open.set(place, caller);
      await target.beforeStored?.();
    };
    const leave = (): void => this.#open.delete(place);
    try {
      const started = await accept({ ...target, beforeStored });
      // If the request found an existing run, that run is already counted.
      if (started.over === undefined) leave();
      else void started.over.finally(leave);
      return started;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

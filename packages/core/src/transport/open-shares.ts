import { CallerHoldings } from "../sessions/session/caller-holdings.ts";
import { CallerShares, shareRefused } from "../sessions/session/caller-shares.ts";
import { countedCaller } from "../sessions/session/counted-caller.ts";
import { createId } from "../base/util/create-id.ts";
import type { AnyRequestedRun, KeptRun, RunTarget } from "./accept-requested-run.ts";

/** The number of runs that a process keeps open for all users, where the transport has no other. */
const defaultMaxOpen = 1000;

/** The shares of callers in the runs that a process keeps and that are not over. */
export class OpenShares {
  readonly #shares: CallerShares;
  readonly #open = new CallerHoldings();

  constructor(maxOpen = defaultMaxOpen) {
    this.#shares = new CallerShares({ total: maxOpen });
  }

  /** Has a run accepted, if it is no new one or its caller's share has room. It takes its place until it is over. */
  async accept(
    { opts, address }: AnyRequestedRun,
    target: RunTarget,
    accept: (target: RunTarget) => Promise<KeptRun>,
  ): Promise<KeptRun> {
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
      const kept = await accept({ ...target, beforeStored });
      // One that was there before has a place of its own.
      if (kept.over === undefined) leave();
      else void kept.over.finally(leave);
      return kept;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

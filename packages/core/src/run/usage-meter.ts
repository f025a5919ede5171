import { TroupeError } from "../errors/troupe-error.ts";
import { addUsage, noUsage } from "../message/token-usage.ts";
import type { TokenUsage } from "../message/token-usage.ts";

/** How a meter is set up. */
export type UsageMeterOptions = {
  /** The account of the run that this one is part of. */
  parent?: UsageMeter | undefined;
  /** How many tokens may be used. */
  totalTokens?: number | undefined;
  /** Hears once that they were. */
  onExceeded?: ((error: TroupeError) => void) | undefined;
};

/** The account of a run: every vendor call is added here when it is billed, and so to the account of the run above. */
export class UsageMeter {
  readonly #parent: UsageMeter | undefined;
  readonly #limit: number;
  #onExceeded: ((error: TroupeError) => void) | undefined;
  #total: TokenUsage = noUsage;

  constructor({ parent, totalTokens = Infinity, onExceeded }: UsageMeterOptions = {}) {
    this.#parent = parent;
    this.#limit = totalTokens;
    this.#onExceeded = onExceeded;
  }

  /** What was billed so far, by this run and by those it started. */
  get total(): TokenUsage {
    return this.#total;
  }

  /** Adds what one vendor call was billed. */
  add(usage: TokenUsage): void {
    this.#total = addUsage(this.#total, usage);
    this.#parent?.add(usage);
    if (this.#total.totalTokens <= this.#limit) return;
    const tell = this.#onExceeded;
    this.#onExceeded = undefined;
    tell?.(new TroupeError("limit_exceeded", `The run used more than its limit of ${this.#limit} tokens.`));
  }
}

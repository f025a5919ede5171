import { TroupeError } from "../../base/errors/troupe-error.ts";
import { addUsage, noUsage } from "../../base/message/token-usage.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import { normalizeUsage } from "../../model/normalize-usage.ts";
import { readProperty } from "../../base/util/read-property.ts";

/**
 * Counts the tokens of a run. The usage of every model call is added when it is billed, to this meter and to the meter
 * of the parent run.
 */
export class UsageMeter {
  readonly #parent: UsageMeter | undefined;
  #limit = Infinity;
  #onExceeded: ((error: TroupeError) => void) | undefined;
  #total: TokenUsage = noUsage;

  constructor({ parent }: { parent?: UsageMeter | undefined } = {}) {
    this.#parent = parent;
  }

  /** The usage of this run and its child runs so far. */
  get total(): TokenUsage {
    return this.#total;
  }

  /** Calls `onExceeded` once, as soon as more than `totalTokens` tokens were used. */
  limit(totalTokens: number, onExceeded: (error: TroupeError) => void): void {
    this.#limit = totalTokens;
    this.#onExceeded = onExceeded;
  }

  /** Adds the billed usage of one model call. */
  add(usage: TokenUsage): void {
    this.#total = addUsage(this.#total, usage);
    this.#parent?.add(usage);
    if (this.#total.totalTokens <= this.#limit) return;
    const onExceeded = this.#onExceeded;
    this.#onExceeded = undefined;
    onExceeded?.(new TroupeError("limit_exceeded", `The run used more than its limit of ${this.#limit} tokens.`));
  }
}

/**
 * Adds the usage in a child run's output to the meter that the child run was given, and to the operation that telemetry
 * records at the time. Does so only if the meter still reads zero, because a third party's runnable may not use the
 * meter.
 */
export function countUnmeteredUsage(meter: UsageMeter | undefined, output: unknown, telemetry?: Telemetry): void {
  if (meter?.total.totalTokens !== 0) return;
  const usage = normalizeUsage(readProperty(output, "usage") as TokenUsage | undefined);
  meter.add(usage);
  if (telemetry !== undefined) telemetry.addUsage(usage);
}

import { checkOptionNames } from "../errors/check-option-names.ts";
import { checkCount, checkDuration } from "../errors/check-option.ts";
import { wrongOption } from "../errors/read-options.ts";
import type { BusyPolicy } from "./turn-queue.ts";

const known: readonly string[] = ["onBusy", "maxWaiting", "waitMs"] satisfies (keyof BusyPolicy)[];

/** Fills in the defaults, and refuses what says nothing of a busy session. */
export function checkBusyPolicy(policy: Partial<BusyPolicy>): BusyPolicy {
  checkOptionNames(policy, known, "onBusy");
  const { onBusy = "enqueue", maxWaiting = 10, waitMs = 60_000 } = policy;
  if (!["enqueue", "reject"].includes(onBusy)) throw wrongOption("onBusy", '"enqueue" or "reject"', onBusy);
  return { onBusy, maxWaiting: checkCount(maxWaiting, "maxWaiting"), waitMs: checkDuration(waitMs, "waitMs") };
}

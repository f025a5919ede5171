import { soundUsage } from "../message/token-usage.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import { readProperty } from "../util/read-property.ts";
import type { UsageMeter } from "./usage-meter.ts";

/**
 * Counts what a run below says that it cost, when it has billed nothing to the account that it was given for itself: a
 * runnable of somebody else's making may know nothing of accounts, and then its own word counts.
 */
export function countForeignUsage(meter: UsageMeter | undefined, output: unknown): void {
  if (meter?.total.totalTokens !== 0) return;
  meter.add(soundUsage(readProperty(output, "usage") as TokenUsage | undefined));
}

import type { ScheduleInfo } from "@troupe-internal/client";
import { toVisible } from "../ui/unseen.ts";

const units = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
] as const;

/** Returns the times of a schedule in words. */
export function describeTimes({ cron, timeZone = "UTC", everyMs }: ScheduleInfo): string {
  if (cron !== undefined) return `${toVisible(cron)} (${toVisible(timeZone)})`;
  if (everyMs === undefined) return "Once";
  const [unitMs, unit] = units.find(([ms]) => everyMs % ms === 0) ?? [1, "millisecond"];
  const count = everyMs / unitMs;
  return count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`;
}

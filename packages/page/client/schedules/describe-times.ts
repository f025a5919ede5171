import type { ScheduleInfo } from "@troupe-internal/client";
import { toVisible } from "../ui/unseen.ts";
import { strings } from "../strings/strings.ts";

const units = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
] as const;

/** A cron expression for a time of every day, or of one day of the week. */
const timeOfDay = /^([0-5]?\d) ([01]?\d|2[0-3]) \* \* (\*|[0-6])$/;

/** Returns the times of a schedule in words. */
export function describeTimes({ cron, timeZone = "UTC", everyMs }: ScheduleInfo): string {
  if (cron !== undefined) return `${describeCron(cron)} (${toVisible(timeZone)})`;
  if (everyMs === undefined) return strings.schedules.once;
  const [unitMs, unit] = units.find(([ms]) => everyMs % ms === 0) ?? [1, "millisecond" as const];
  const count = everyMs / unitMs;
  return strings.schedules.everyUnit(count, unit);
}

/** Returns a cron expression in words, or the expression itself if it has no simple words. */
function describeCron(cron: string): string {
  const [, minutes = "", hours = "", day = ""] = timeOfDay.exec(cron) ?? [];
  if (day === "") return toVisible(cron);
  const time = `${hours.padStart(2, "0")}:${minutes.padStart(2, "0")}`;
  const { weekdays, everyDayAt, everyWeekdayAt } = strings.schedules;
  return day === "*" ? everyDayAt(time) : everyWeekdayAt(weekdays[Number(day)] ?? "", time);
}

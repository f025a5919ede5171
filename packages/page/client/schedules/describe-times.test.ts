import { expect, it } from "vitest";
import type { ScheduleInfo } from "@troupe-internal/client";
import { describeTimes } from "./describe-times.ts";

const schedule: ScheduleInfo = {
  id: "daily",
  kind: "agent",
  name: "a",
  status: "active",
  createdAt: 0,
  pending: [],
  history: [],
};

it.each([
  [{ cron: "0 8 * * *", timeZone: "Europe/Oslo" }, "Every day at 08:00 (Europe/Oslo)"],
  [{ cron: "5 23 * * 0" }, "Every Sunday at 23:05 (UTC)"],
  [{ cron: "59 00 * * 6" }, "Every Saturday at 00:59 (UTC)"],
  [{ cron: "0 8 * * 7" }, "0 8 * * 7 (UTC)"],
  [{ cron: "60 8 * * *" }, "60 8 * * * (UTC)"],
  [{ cron: "0 24 * * *" }, "0 24 * * * (UTC)"],
  [{ cron: "0 8 1 * *" }, "0 8 1 * * (UTC)"],
  [{ at: 5 }, "Once"],
  [{ everyMs: 86_400_000 }, "Every day"],
  [{ everyMs: 5_400_000 }, "Every 90 minutes"],
  [{ everyMs: 7000 }, "Every 7 seconds"],
  [{ everyMs: 1001 }, "Every 1001 milliseconds"],
])("the times %j are shown as %s", (times, words) => {
  expect(describeTimes({ ...schedule, ...times })).toBe(words);
});

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
  [{ cron: "0 8 * * *", timeZone: "Europe/Oslo" }, "0 8 * * * (Europe/Oslo)"],
  [{ cron: "0 8 * * *" }, "0 8 * * * (UTC)"],
  [{ at: 5 }, "Once"],
  [{ everyMs: 86_400_000 }, "Every day"],
  [{ everyMs: 5_400_000 }, "Every 90 minutes"],
  [{ everyMs: 7000 }, "Every 7 seconds"],
  [{ everyMs: 1001 }, "Every 1001 milliseconds"],
])("the times %j are shown as %s", (times, words) => {
  expect(describeTimes({ ...schedule, ...times })).toBe(words);
});

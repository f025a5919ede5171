import type { NewSchedule, RunnableInfo, ScheduleRules } from "@troupe-internal/client";
import { toWorkflowInput } from "../api/workflow-input.ts";
import type { WorkflowFields } from "../api/workflow-input.ts";
import { strings } from "../strings/strings.ts";

/** The ways in which the form can describe the times of a schedule. */
export type TimesForm = "daily" | "weekly" | "every" | "once" | "cron";

/** The units of an interval, in milliseconds. */
export const units = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

/** A schedule as entered in the form, as strings. Only the fields of the chosen `form` count. */
export type ScheduleDraft = {
  readonly form: TimesForm;
  /** A time of day: `08:00`. */
  readonly time: string;
  /** A day of the week: `0` for Sunday. */
  readonly day: string;
  readonly count: string;
  readonly unit: keyof typeof units;
  /** A local date and time, as a browser's field has it: `2026-11-30T08:00`. */
  readonly at: string;
  readonly cron: string;
  readonly text: string;
};

/** The draft of a form that was just opened. */
export const emptyDraft: ScheduleDraft = {
  form: "daily",
  time: "08:00",
  day: "1",
  count: "1",
  unit: "hours",
  at: "",
  cron: "",
  text: "",
};

/** The result of reading a draft: the schedule, or a sentence about the missing field. */
type ReadDraft<Read> = { readonly read: Read } | { readonly problem: string };

/**
 * Reads a draft as the schedule to create. Times of day are in the given time zone. `example` has the fields of a
 * workflow that may be typed as lines.
 */
export function readDraft(
  draft: ScheduleDraft,
  { kind, name }: RunnableInfo,
  { timeZone, now, example }: { timeZone: string; now: number; example?: WorkflowFields | undefined },
): ReadDraft<NewSchedule> {
  const rules = readers[draft.form](draft, { timeZone, now });
  if ("problem" in rules) return rules;
  if (kind !== "workflow" && draft.text.trim() === "") return { problem: strings.schedules.noQuestion };
  const input = kind === "workflow" ? toWorkflowInput(draft.text, example) : draft.text;
  return { read: { kind, name, ...rules.read, ...(input !== undefined && { input }) } };
}

type Reader = (draft: ScheduleDraft, place: { timeZone: string; now: number }) => ReadDraft<ScheduleRules>;

const readers: Readonly<Record<TimesForm, Reader>> = {
  daily: ({ time }, { timeZone }) => atTimeOfDay(time, "*", timeZone),
  weekly: ({ time, day }, { timeZone }) => atTimeOfDay(time, day, timeZone),
  every: ({ count, unit }) => {
    const isCount = /^[1-9]\d{0,4}$/.test(count.trim());
    return isCount ? { read: { everyMs: Number(count) * units[unit] } } : { problem: strings.schedules.noInterval };
  },
  once: ({ at }, { now }) => {
    const time = Date.parse(at);
    return time > now ? { read: { at: time } } : { problem: strings.schedules.noDate };
  },
  cron: ({ cron }, { timeZone }) =>
    cron.trim() === "" ? { problem: strings.schedules.noCron } : { read: { cron: cron.trim(), timeZone } },
};

function atTimeOfDay(time: string, day: string, timeZone: string): ReadDraft<ScheduleRules> {
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(time) ?? [];
  if (hours === undefined) return { problem: strings.schedules.noTime };
  return { read: { cron: `${Number(minutes)} ${Number(hours)} * * ${day}`, timeZone } };
}

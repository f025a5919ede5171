import { cutText } from "./cut-text.ts";
import { locale, strings } from "../strings/strings.ts";

const [day, dayMs] = [new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" }), 86_400_000];
const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Writes a duration for people: `41 ms`, `2.1 s`, `3 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${tenths.format(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Writes a time before now for people: `just now`, `5 min ago`, `3 h ago`, `2 days ago`, or the day. */
export function formatAgo(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return strings.times.justNow;
  if (minutes < 60) return strings.times.minutesAgo(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return strings.times.hoursAgo(hours);
  const days = Math.floor(hours / 24);
  return days < 7 ? strings.times.daysAgo(days) : day.format(time);
}

/** Writes the day of a time: `19 May`. */
export function formatDay(time: number): string {
  return day.format(time);
}

/** Writes a number with separators. */
export function formatCount(count: number): string {
  return count.toLocaleString(locale);
}

/** Returns the heading for a time in a list: `Today`, `Yesterday`, `This week`, or the day. */
export function dayOf(time: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (time >= midnight) return strings.times.today;
  if (time >= midnight - dayMs) return strings.times.yesterday;
  return time >= midnight - 6 * dayMs ? strings.times.thisWeek : day.format(time);
}

/** Writes a value as JSON for people. A string stays unchanged. */
export function formatValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
}

/** Writes a value in one line of at most `longest` characters. */
export function formatShort(value: unknown, longest = 120): string {
  const text = cutText(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), longest * 4);
  return cutText(text.replaceAll(/\s+/g, " ").trim(), longest, "…");
}

/** Parses JSON. Returns undefined for invalid JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns true for an object that is not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

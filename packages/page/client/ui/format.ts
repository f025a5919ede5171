import { cutText } from "./cut-text.ts";

const [day, dayMs] = [new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" }), 86_400_000];

/** Writes a duration for people: `41 ms`, `2.1 s`, `3 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Writes a time before now for people: `just now`, `5 min ago`, `3 h ago`, `2 days ago`, or the day. */
export function formatAgo(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  if (days === 1) return "1 day ago";
  return days < 7 ? `${days} days ago` : day.format(time);
}

/** Writes a number with separators. */
export function formatCount(count: number): string {
  return count.toLocaleString();
}

/** Returns the heading for a time in a list: `Today`, `Yesterday`, `This week`, or the day. */
export function dayOf(time: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (time >= midnight) return "Today";
  if (time >= midnight - dayMs) return "Yesterday";
  return time >= midnight - 6 * dayMs ? "This week" : day.format(time);
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

import { cutText } from "./cut-text.ts";

const [day, dayMs] = [new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" }), 86_400_000];

/** Writes a duration for people: `41 ms`, `2.1 s`, `3 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
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

type HeaderReader = { get(name: string): string | null | undefined };

/**
 * Returns the milliseconds to wait before a retry, from the headers of a vendor's response: `retry-after-ms`, or else
 * `retry-after` in seconds or as a date. `undefined` if neither is valid.
 */
export function readRetryAfter(headers: HeaderReader, now = Date.now()): number | undefined {
  return readNumber(headers.get("retry-after-ms"), 1) ?? readSeconds(headers.get("retry-after"), now);
}

function readSeconds(text: string | null | undefined, now: number): number | undefined {
  const waitMs = readNumber(text, 1000);
  if (waitMs !== undefined || typeof text !== "string") return waitMs;
  // `Date.parse` would read a year from "-1" and from "5 apples". All dates of HTTP end in GMT.
  const date = text.trim().endsWith(" GMT") ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readNumber(text: string | null | undefined, factor: number): number | undefined {
  return typeof text === "string" && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) * factor : undefined;
}

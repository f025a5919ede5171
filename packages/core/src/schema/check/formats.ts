import { ipVersion } from "../../base/util/ip-version.ts";

// The patterns of formats cannot backtrack, whatever the length of the text.
const timePattern = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const longestEmail = 320;

/** The values of the keyword `format` that are checked, each with its test of a string. Other formats are ignored. */
export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["time", isTime],
  ["date-time", (text) => /^.{10}[T ]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))],
  ["email", isEmail],
  ["uuid", (text) => uuidPattern.test(text)],
  ["uri", (text) => /^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`]*$/i.test(text) && URL.canParse(text)],
  ["ipv4", (text) => ipVersion(text) === 4],
  ["ipv6", (text) => ipVersion(text) === 6 && !text.includes("%")],
]);

function isTime(text: string): boolean {
  return timePattern.test(text);
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  // Day 0 of the next month is the last day of this month. The year 2000 + n has the same leap days as the year n.
  const lastDay = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay;
}

function isEmail(text: string): boolean {
  if (text.length > longestEmail) return false;
  const at = text.lastIndexOf("@");
  const [local, domain] = at === -1 ? ["", ""] : [text.slice(0, at), text.slice(at + 1)];
  return /^[^\s@".]+(\.[^\s@".]+)*$/.test(local) && /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*$/u.test(domain);
}

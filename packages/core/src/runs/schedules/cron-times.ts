import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readCron } from "./cron-fields.ts";
import type { CronFields } from "./cron-fields.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Time zones change their offset at the quarters of an hour in universal time, and at no other moment. */
const quarterMs = hourMs / 4;
/** Milliseconds at the end of a day that are searched completely, because clocks may be put forward over midnight. */
const marginMs = 3 * hourMs;
/** Milliseconds ahead that are searched for a due time: a leap day can be eight years away. */
const searchedMs = 9 * 366 * dayMs;

/**
 * The times of a cron expression in a time zone. A local time that occurs twice, when clocks are put back, is due the
 * first time. Local times that are skipped, when clocks are put forward, are due together at that moment. An expression
 * that includes every hour follows real time instead: it has times in both passes of a repeated hour, and no times for
 * a skipped hour.
 */
export class CronTimes {
  readonly #fields: CronFields;
  readonly #format: Intl.DateTimeFormat;
  /** True if the expression includes every hour, so that its times follow real time and not the local clock. */
  readonly #isByRealTime: boolean;

  /** Throws `invalid_request` for an expression or a time zone that cannot be read. */
  constructor(expression: string, timeZone: string) {
    this.#fields = readCron(expression);
    this.#isByRealTime = this.#fields.hours.size === 24;
    try {
      this.#format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    } catch (cause) {
      const message = `The time zone ${JSON.stringify(timeZone)} is unknown. Expected an IANA name, such as Europe/Oslo.`;
      throw new TroupeError("invalid_request", message, { cause });
    }
  }

  /** Returns the first due time after a time, in epoch milliseconds; `null` if there is none in the next nine years. */
  next(after: number): number | null {
    const end = after + searchedMs;
    for (let start = Math.floor(after / quarterMs) * quarterMs; start < end;) {
      const offset = this.#offsetAt(start);
      const found = this.#skippedAt(start, offset, after) ?? this.#nextWithin(start, offset, after);
      if (found !== undefined) return found;
      start = this.#startAfter(start, offset);
    }
    return null;
  }

  /** Returns `start` if clocks are put forward at that moment and skip a local time of the expression. */
  #skippedAt(start: number, offset: number, after: number): number | undefined {
    if (this.#isByRealTime || start <= after) return undefined;
    const before = this.#offsetAt(start - 1);
    if (offset <= before) return undefined;
    return this.#firstLocal(start + before, start + offset) === undefined ? undefined : start;
  }

  /** Returns the first time of the expression after `after`, within the quarter of an hour that begins at `start`. */
  #nextWithin(start: number, offset: number, after: number): number | undefined {
    const end = start + quarterMs + offset;
    let from = Math.max(start, after + 1) + offset;
    for (;;) {
      const local = this.#firstLocal(from, end);
      if (local === undefined) return undefined;
      const time = local - offset;
      if (this.#isByRealTime || !this.#isSecond(time, local)) return time;
      from = local + 1;
    }
  }

  /** Returns true if a local time has occurred before, because clocks were put back afterwards. */
  #isSecond(time: number, local: number): boolean {
    const before = this.#offsetAt(time - dayMs);
    const first = local - before;
    return first < time && this.#offsetAt(first) === before;
  }

  /**
   * Returns the first local time of the expression from `from` up to `end`. A local time is epoch milliseconds plus the
   * zone's offset.
   */
  #firstLocal(from: number, end: number): number | undefined {
    const { hours, minutes } = this.#fields;
    for (let hour = Math.floor(from / hourMs) * hourMs; hour < end; hour += hourMs) {
      if (!hours.has(new Date(hour).getUTCHours()) || !this.#hasDay(hour)) continue;
      for (const minute of minutes) {
        const second = this.#firstSecond(hour + minute * 60_000, from, end);
        if (second !== undefined) return second;
      }
    }
    return undefined;
  }

  #firstSecond(minute: number, from: number, end: number): number | undefined {
    const times = this.#fields.seconds.map((second) => minute + second * 1000);
    return times.find((time) => time >= from && time < end);
  }

  /** Returns the next quarter of an hour to search: the following one, or one shortly before the next possible day. */
  #startAfter(start: number, offset: number): number {
    const following = start + quarterMs;
    const date = new Date(start + offset);
    if (this.#fields.months.has(date.getUTCMonth() + 1)) {
      if (this.#hasDay(date.getTime())) return following;
      date.setUTCDate(date.getUTCDate() + 1);
    } else date.setUTCMonth(date.getUTCMonth() + 1, 1);
    const midnight = date.setUTCHours(0, 0, 0, 0);
    return Math.max(following, Math.floor((midnight - offset - marginMs) / quarterMs) * quarterMs);
  }

  #hasDay(local: number): boolean {
    const { months, days, weekdays, isEitherDay } = this.#fields;
    const date = new Date(local);
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    return isEitherDay ? isDay || isWeekday : isDay && isWeekday;
  }

  /** Returns the offset of the time zone from universal time at a moment, in milliseconds. */
  #offsetAt(time: number): number {
    const [, sign, hours, minutes, seconds = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(this.#format.format(time)) ?? [];
    if (sign === undefined) return 0;
    const offset = Number(hours) * hourMs + Number(minutes) * 60_000 + Number(seconds) * 1000;
    return sign === "-" ? -offset : offset;
  }
}

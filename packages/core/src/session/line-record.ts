import type { Json } from "../storage/json.ts";
import { isCount, isList, isRecord, readRecord, recordVersion } from "./stored-record.ts";
import type { Place } from "./stored-record.ts";

/** One who has the session or waits for it, and the process that it is in. */
export type StoredPlace = { process: string; ticket: number };

/** What shows that a process lives: the number is a new one at least every `leaseMs`, by its own clock. */
export type SignOfLife = { process: string; beat: number; leaseMs: number };

/** The line for one session, as all processes see it: the lease of whoever is first, and who comes next. */
export type LineRecord = {
  v: 1;
  /** The fencing number: a larger one whenever somebody else, or nobody, has become first. */
  token: number;
  /** First come, first served: the first has the session. */
  line: StoredPlace[];
  /** The processes of those in line. */
  processes: SignOfLife[];
};

/** What one process wants of a line. */
export type Wish = {
  /** Its own sign of life, written whenever something else is. */
  sign: SignOfLife;
  /** Who of this process is to be in line, in their order. */
  tickets: readonly number[];
  /** Processes whose places are given up. */
  dead: ReadonlySet<string>;
  /** Whether the sign of life is to be written even when nothing else is. */
  isDue: boolean;
  /** Whether a line that is empty is of no use to anybody. */
  forgets: boolean;
};

/** Takes the stored line; damage is `storage_corrupt`. */
export function readLine(value: Json | null, place: Place): LineRecord | null {
  return value === null ? null : readRecord(value, place, isLineRecord);
}

/** The line as the process wants it; the very same object when there is nothing to write. */
export function planLine(stored: LineRecord | null, wish: Wish): LineRecord | null {
  const { token, line: before, processes } = stored ?? newLine();
  const line = wishedLine(before, wish);
  if (isSameLine(line, before) && !wish.isDue) return stored;
  if (line.length === 0 && wish.forgets) return null;
  return {
    v: recordVersion,
    token: isSamePlace(line[0], before[0]) ? token : token + 1,
    line,
    processes: signsOf(line, [...processes, wish.sign]),
  };
}

/** Whether it is the same one's place, or both are nobody's. */
export function isSamePlace(one: StoredPlace | undefined, other: StoredPlace | undefined): boolean {
  return one?.process === other?.process && one?.ticket === other?.ticket;
}

function isSameLine(one: readonly StoredPlace[], other: readonly StoredPlace[]): boolean {
  return one.length === other.length && one.every((place, index) => isSamePlace(place, other[index]));
}

/**
 * A line is forgotten with its session, and its numbers must not come again: a stopped process may still hold one. So they
 * begin with the time in microseconds, and no session is used so often that its numbers overtake that.
 */
function newLine(): LineRecord {
  return { v: recordVersion, token: Date.now() * 1000, line: [], processes: [] };
}

/** Who is no longer wished for leaves, and who was not there yet comes last. */
function wishedLine(before: readonly StoredPlace[], { sign: { process }, tickets, dead }: Wish): StoredPlace[] {
  const kept = before.filter((place) =>
    place.process === process ? tickets.includes(place.ticket) : !dead.has(place.process),
  );
  const own = new Set(kept.filter((place) => place.process === process).map(({ ticket }) => ticket));
  return [...kept, ...tickets.filter((ticket) => !own.has(ticket)).map((ticket) => ({ process, ticket }))];
}

/** The last sign of each process that is in line. */
function signsOf(line: readonly StoredPlace[], signs: readonly SignOfLife[]): SignOfLife[] {
  const last = new Map(signs.map((sign) => [sign.process, sign]));
  return [...new Set(line.map(({ process }) => process))].flatMap((process) => last.get(process) ?? []);
}

function isLineRecord(value: unknown): value is LineRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    isCount(value["token"]) &&
    isList(value["line"], isStoredPlace) &&
    isList(value["processes"], isSignOfLife)
  );
}

function isStoredPlace(value: unknown): value is StoredPlace {
  return isRecord(value) && typeof value["process"] === "string" && isCount(value["ticket"]);
}

function isSignOfLife(value: unknown): value is SignOfLife {
  return isRecord(value) && typeof value["process"] === "string" && isCount(value["beat"]) && isCount(value["leaseMs"]);
}

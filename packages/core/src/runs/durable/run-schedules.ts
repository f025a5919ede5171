import { nonBlankString, integer, optional } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { Logger } from "../../base/log/logger.ts";
import { toJson } from "../../sessions/storage/check-json.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readRequest } from "./accept-request.ts";
import { findTarget } from "../attempts/durable-target.ts";
import type { Registries } from "../attempts/durable-target.ts";
import type { Schedule, Schedules, ScheduleTimes } from "../attempts/run-engine.ts";
import type { RunStorage } from "../run-store/run-record.ts";
import type { AcceptedRun, RunRequest } from "../run-store/run-view.ts";

/** The run that a schedule begins at each of its times: without keys, which would be kept for as long as the schedule. */
export type ScheduledRequest = Pick<RunRequest, "kind" | "name" | "input" | "options" | "owner" | "priority" | "note">;

/** A schedule of runs: either `cron`, perhaps with a `timeZone`, or `everyMs`. */
export type RunSchedule = {
  readonly id: string;
  /** A cron expression of five fields, or six with seconds first. */
  readonly cron?: string;
  /** The IANA time zone of `cron`. @default "UTC" */
  readonly timeZone?: string;
  /** Milliseconds from one time to the next. */
  readonly everyMs?: number;
  readonly request: ScheduledRequest;
};

/** Times that are not checked yet. */
type GivenTimes = { [Name in "cron" | "timeZone" | "everyMs"]?: RunSchedule[Name] | undefined };

type Init = {
  readonly schedules: Schedules;
  readonly storage: RunStorage;
  readonly registries: Registries;
  readonly logger: Logger | undefined;
  readonly accept: (request: RunRequest) => Promise<AcceptedRun>;
};

const namespace = runNamespaces.schedules;

const scheduleTable = {
  id: nonBlankString(200),
  cron: optional(nonBlankString(200)),
  timeZone: optional(nonBlankString(100)),
  everyMs: optional(integer(1000, 1_000_000_000_000)),
  request: (value: unknown) => value as ScheduledRequest,
} satisfies OptionTable<RunSchedule>;

const requestFields = ["kind", "name", "input", "options", "owner", "priority", "note"] as const;

/** Failures of a due run that no repetition mends. */
const lasting: readonly string[] = ["not_found", "invalid_request", "idempotency_mismatch", "invalid_config"];

/**
 * Schedules that begin runs. The engine knows their ids and times, the storage their requests. The run of a due time has an id
 * made of both, so that it begins once, however many processes are told of it.
 */
export class RunSchedules {
  readonly #init: Init;

  constructor(init: Init) {
    this.#init = init;
  }

  /** Stores a schedule, and replaces one with the same id. */
  async put(given: RunSchedule): Promise<void> {
    const { schedule, request } = this.#check(given);
    const { storage, schedules } = this.#init;
    const record = { v: 1, ...schedule, request };
    // First: the engine may find a time due at once. With the one before, until the engine has taken it.
    const { before, pending } = await this.#begin(schedule.id, record);
    try {
      await schedules.put(schedule);
    } catch (error) {
      // Unless another process has changed it since: that one has what it replaced.
      await storage.compareAndSet(namespace, schedule.id, pending, before);
      throw error;
    }
    await storage.compareAndSet(namespace, schedule.id, pending, toJson(record));
  }

  /** Stores a schedule with the record that it replaces, which may be that of a change under way. */
  async #begin(id: string, record: object): Promise<{ before: Json | null; pending: Json }> {
    const { storage } = this.#init;
    for (;;) {
      const before = await storage.get(namespace, id);
      const pending = toJson({ ...record, before });
      if (await storage.compareAndSet(namespace, id, before, pending)) return { before, pending };
    }
  }

  /** Removes a schedule. Runs that it has begun go on. Removing an absent one is not an error. */
  async remove(id: string): Promise<void> {
    // In this order: what the storage has is restored in the engine.
    await this.#init.storage.delete(namespace, id);
    await this.#init.schedules.remove(id);
  }

  /** Returns all schedules in the order of their ids. */
  async list(): Promise<RunSchedule[]> {
    return (await this.#list()).map(({ schedule }) => schedule);
  }

  async #list(): Promise<StoredSchedule[]> {
    const entries = await this.#init.storage.list(namespace);
    return entries.flatMap(({ value }) => readStored(value) ?? []);
  }

  /** Begins the run of a due time, for the engine. Rejects when that may work later. */
  readonly onSchedule = async (id: string, at: number): Promise<void> => {
    const { storage, schedules, accept, logger } = this.#init;
    const stored = readStored(await storage.get(namespace, id));
    // It was removed, perhaps by a process that died in the midst of that.
    if (stored === undefined) return await schedules.remove(id);
    const { schedule } = stored;
    try {
      await accept({ ...schedule.request, idempotencyKey: `schedule ${id} ${at}` });
    } catch (error) {
      if (!isLasting(error)) throw error;
      logger?.error("The run of a schedule cannot begin.", { schedule: id, error });
    }
  };

  /** Gives the engine the schedules that it has lost, or has with other times. Never rejects. */
  async restore(): Promise<void> {
    const { schedules, logger } = this.#init;
    const warn = (error: unknown) =>
      logger?.warn("The schedules could not be compared with the engine's. That is tried again.", { error });
    try {
      const known = new Map((await schedules.list()).map((schedule) => [schedule.id, schedule]));
      for (const stored of await this.#list()) await this.#restore(stored, known).catch(warn);
    } catch (error) {
      warn(error);
    }
  }

  /** Restores one schedule, and ends its change if the process died that made it. */
  async #restore({ schedule: stored, value, before }: StoredSchedule, known: KnownSchedules): Promise<void> {
    const { storage, schedules } = this.#init;
    const schedule = { id: stored.id, ...timesOf(stored) };
    try {
      if (!equalJson(known.get(schedule.id), schedule)) await schedules.put(schedule);
    } catch (error) {
      if (before === undefined || !isLasting(error)) throw error;
      // Refused: the engine has the one before.
      return void (await storage.compareAndSet(namespace, schedule.id, value, before));
    }
    if (before === undefined) return;
    const { before: _before, ...record } = value;
    await storage.compareAndSet(namespace, schedule.id, value, record);
  }

  #check(given: RunSchedule): { schedule: Schedule; request: ScheduledRequest } {
    const where = { owner: "the schedule", code: "invalid_request" } as const;
    const { id, request: asked, ...times } = readOptions(scheduleTable, given, where);
    const schedule = { id, ...timesOf(times) };
    const request = checkRequest(asked);
    findTarget(this.#init.registries, request.kind, request.name);
    return { schedule, request };
  }
}

/** Returns the times of a schedule, with their zone. Throws `invalid_request` for none, and for two kinds of them. */
function timesOf({ cron, timeZone, everyMs }: GivenTimes): ScheduleTimes {
  if (cron !== undefined && everyMs === undefined) return { cron, timeZone: timeZone ?? "UTC" };
  if (cron !== undefined || everyMs === undefined) {
    throw new TroupeError("invalid_request", "A schedule needs either cron or everyMs.");
  }
  if (timeZone === undefined) return { everyMs };
  throw new TroupeError("invalid_request", "timeZone goes with cron: everyMs is the same in all time zones.");
}

/** Checks the request as that of a run, and that it has nothing but what a schedule keeps. */
function checkRequest(given: ScheduledRequest): ScheduledRequest {
  const wrong = isRecord(given) && Object.keys(given).find((name) => !requestFields.some((field) => field === name));
  if (wrong !== undefined && wrong !== false) {
    throw new TroupeError(
      "invalid_request",
      `Unknown field "${wrong}" in the request of a schedule. Expected ${requestFields.join(", ")}.`,
    );
  }
  readRequest(given);
  return given;
}

type StoredSchedule = {
  readonly schedule: RunSchedule;
  /** The record of the schedule that it replaces, or `null` for none, until the engine has taken it. */
  readonly before: Json | undefined;
  readonly value: { readonly [name: string]: Json };
};

type KnownSchedules = ReadonlyMap<string, Schedule>;

function readStored(value: Json | null): StoredSchedule | undefined {
  if (!isRecord(value)) return undefined;
  const { v, before, ...schedule } = value;
  return v === 1 ? { schedule: schedule as unknown as RunSchedule, before, value } : undefined;
}

function isLasting(error: unknown): boolean {
  return TroupeError.is(error) && lasting.includes(error.code);
}

import { nonBlankString, integerOption, optional } from "../../base/errors/option-checks.ts";
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
import { findTarget } from "../processes/durable-target.ts";
import type { Registries } from "../processes/run-service-options.ts";
import type { Schedule, Schedules, ScheduleTimes } from "../processes/run-engine.ts";
import type { RunStorage } from "../record/run-record.ts";
import type { AcceptedRun, RunRequest } from "../record/run-view.ts";

/**
 * The run that a schedule begins at each of its times. It has no API keys, which would be stored as long as the
 * schedule.
 */
export type ScheduledRequest = Pick<RunRequest, "kind" | "name" | "input" | "options" | "owner" | "priority" | "note">;

/** A schedule of runs: either `cron`, with an optional `timeZone`, or `everyMs`. */
export type RunSchedule = {
  readonly id: string;
  /** A cron expression of five fields, or six with seconds first. */
  readonly cron?: string;
  /** The IANA time zone of `cron`. @default "UTC" */
  readonly timeZone?: string;
  /** Milliseconds between two times of the schedule, at least 1000. */
  readonly everyMs?: number;
  readonly request: ScheduledRequest;
};

/** Schedule times that are not checked yet. */
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
  everyMs: optional(integerOption(1000, 1_000_000_000_000)),
  request: (value: unknown) => value as ScheduledRequest,
} satisfies OptionTable<RunSchedule>;

const requestFields = ["kind", "name", "input", "options", "owner", "priority", "note"] as const;

/** Error codes of a due run that a retry cannot mend. */
const lasting: readonly string[] = ["not_found", "invalid_request", "idempotency_mismatch", "invalid_config"];

/**
 * Schedules that begin runs. The engine stores their ids and times; the storage holds their requests. The run of a due
 * time has an id made from the schedule's id and that time. It therefore begins once, even if several processes receive
 * that time.
 */
export class RunSchedules {
  readonly #init: Init;

  constructor(init: Init) {
    this.#init = init;
  }

  /** Stores a schedule, replacing a schedule with the same id. */
  async put(given: RunSchedule): Promise<void> {
    const { schedule, request } = this.#check(given);
    const { storage, schedules } = this.#init;
    const record = { v: 1, ...schedule, request };
    // The schedule is stored first, because the engine may find a time due immediately. The previous record is kept
    // with it until the engine has accepted the schedule.
    const { before, pending } = await this.#begin(schedule.id, record);
    try {
      await schedules.put(schedule);
    } catch (error) {
      // The schedule is left unchanged if another process has changed it since: that process has stored the record that
      // it replaces.
      await storage.compareAndSet(namespace, schedule.id, pending, before);
      throw error;
    }
    await storage.compareAndSet(namespace, schedule.id, pending, toJson(record));
  }

  /** Stores a schedule together with the record that it replaces, which may belong to an unfinished change. */
  async #begin(id: string, record: object): Promise<{ before: Json | null; pending: Json }> {
    const { storage } = this.#init;
    for (;;) {
      const before = await storage.get(namespace, id);
      const pending = toJson({ ...record, before });
      if (await storage.compareAndSet(namespace, id, before, pending)) return { before, pending };
    }
  }

  /** Removes a schedule. Runs that it has begun continue. Removing an absent schedule is not an error. */
  async remove(id: string): Promise<void> {
    // The storage is changed before the engine, because schedules in the storage are restored in the engine.
    await this.#init.storage.delete(namespace, id);
    await this.#init.schedules.remove(id);
  }

  /** Returns all schedules, sorted by id. */
  async list(): Promise<RunSchedule[]> {
    return (await this.#list()).map(({ schedule }) => schedule);
  }

  async #list(): Promise<StoredSchedule[]> {
    const entries = await this.#init.storage.list(namespace);
    return entries.flatMap(({ value }) => readStored(value) ?? []);
  }

  /** Begins the run of a due time, for the engine. Rejects if a retry may succeed. */
  readonly onSchedule = async (id: string, at: number): Promise<void> => {
    const { storage, schedules, accept, logger } = this.#init;
    const stored = readStored(await storage.get(namespace, id));
    // The schedule was removed, perhaps by a process that crashed during the removal.
    if (stored === undefined) return await schedules.remove(id);
    const { schedule } = stored;
    try {
      await accept({ ...schedule.request, idempotencyKey: `schedule ${id} ${at}` });
    } catch (error) {
      if (!isLasting(error)) throw error;
      logger?.error("The run of a schedule cannot begin.", { schedule: id, error });
    }
  };

  /** Restores in the engine the stored schedules that it has lost or holds with other times. Never rejects. */
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

  /** Restores one schedule, and completes its change if the process that made it crashed. */
  async #restore({ schedule: stored, value, before }: StoredSchedule, known: KnownSchedules): Promise<void> {
    const { storage, schedules } = this.#init;
    const schedule = { id: stored.id, ...timesOf(stored) };
    try {
      if (!equalJson(known.get(schedule.id), schedule)) await schedules.put(schedule);
    } catch (error) {
      if (before === undefined || !isLasting(error)) throw error;
      // The engine rejected the schedule and still has the previous schedule.
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

/**
 * Returns the times of a schedule, with their zone. Throws `invalid_request` if there are no times, or two kinds of
 * times.
 */
function timesOf({ cron, timeZone, everyMs }: GivenTimes): ScheduleTimes {
  if (cron !== undefined && everyMs === undefined) return { cron, timeZone: timeZone ?? "UTC" };
  if (cron !== undefined || everyMs === undefined) {
    throw new TroupeError("invalid_request", "A schedule needs either cron or everyMs.");
  }
  if (timeZone === undefined) return { everyMs };
  throw new TroupeError("invalid_request", "timeZone goes with cron: everyMs is the same in all time zones.");
}

/** Checks the request as that of a run, and rejects fields that a schedule does not store. */
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
  /**
   * The record of the schedule that it replaces, or `null` if there is none, until the engine has accepted the
   * schedule.
   */
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

import { booleanOption, integerOption, nonBlankString, oneOf, optional } from "../../base/errors/option-checks.ts";
import { checkOptionNames, readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { findTarget, startRun } from "../processes/durable-target.ts";
import type { Registries } from "../processes/run-service-options.ts";
import { toRunOpts } from "../record/run-input.ts";
import type { RunCaller } from "../record/run-view.ts";
import { timesOf } from "../schedules/schedule-record.ts";
import type { RunSchedule, ScheduledRequest, ScheduleRecord } from "../schedules/schedule-record.ts";
import { cronTimes } from "../schedules/schedule-times.ts";
import type { ScheduleTimes } from "../schedules/schedule-times.ts";
import { readRequest } from "./accept-request.ts";

/**
 * Changes of a schedule. Fields that are omitted keep their value. `cron`, `everyMs` and `at` replace all times of the
 * schedule. `input` replaces the input of its runs. `isPaused` pauses the schedule, or ends its pause.
 */
export type ScheduleChanges = Partial<Omit<RunSchedule, "id" | "request">> & {
  readonly input?: unknown;
  readonly isPaused?: boolean | undefined;
};

/** The fields of a schedule that its owner decides, after they were checked. */
export type Definition = ScheduleTimes &
  Pick<ScheduleRecord, "id" | "owner" | "overlap" | "missed" | "maxMissed" | "jitterMs" | "request">;

/** The longest request of a schedule as JSON, in characters, because the schedule is stored again for each time. */
const longestRequest = 65_536;
const longestId = 255;
const longestIntervalMs = 1_000_000_000_000;
const latestAt = 8_640_000_000_000_000;

const policyTable = {
  overlap: optional(oneOf("skip", "queue", "cancel-running"), "skip"),
  missed: optional(oneOf("skip", "one", "all"), "one"),
  maxMissed: optional(integerOption(1, 100), 10),
  jitterMs: optional(integerOption(0, 3_600_000), 0),
};

const timesTable = {
  cron: optional(nonBlankString(200)),
  timeZone: optional(nonBlankString(100)),
  everyMs: optional(integerOption(1000, longestIntervalMs)),
  at: optional(integerOption(0, latestAt)),
};

const scheduleTable = {
  id: nonBlankString(200),
  ...timesTable,
  ...policyTable,
  request: (value: unknown) => value as ScheduledRequest,
} satisfies OptionTable<RunSchedule>;

const changesTable = {
  ...timesTable,
  overlap: optional(oneOf("skip", "queue", "cancel-running")),
  missed: optional(oneOf("skip", "one", "all")),
  maxMissed: optional(integerOption(1, 100)),
  jitterMs: optional(integerOption(0, 3_600_000)),
  isPaused: optional(booleanOption),
  input: (value: unknown) => value,
} satisfies OptionTable<ScheduleChanges>;

const requestFields = {
  kind: true,
  name: true,
  input: true,
  options: true,
  owner: true,
  priority: true,
  note: true,
} satisfies Record<keyof ScheduledRequest, true>;

const where = { owner: "the schedule", code: "invalid_request" } as const;

/**
 * Checks a schedule that a caller wants to store, and returns its definition with defaults. The schedule belongs to the
 * caller, or to the owner that the host names. Throws `invalid_request` for wrong fields, and `not_found` for an
 * unknown runnable.
 */
export function readDefinition(given: RunSchedule, caller: RunCaller, registries: Registries): Definition {
  const { id, request, cron, timeZone, everyMs, at, ...policies } = readOptions(scheduleTable, given, where);
  checkId(id);
  if (!isRecord(request)) throw new TroupeError("invalid_request", "request of the schedule must be an object.");
  checkOptionNames(requestFields, request, { path: "request", code: "invalid_request" });
  const { owner: named, ...rest } = request;
  const owner = ownerOf(named, caller);
  const times = readTimes({ cron, timeZone, everyMs, at });
  return { id, owner, ...policies, ...times, request: checkRequest(rest, owner, registries) };
}

function ownerOf(named: SessionOwner | undefined, caller: RunCaller): SessionOwner {
  const owner = checkOwner((caller === "host" ? named : caller) ?? {});
  if (caller !== "host" && owner.userId === undefined) {
    throw new TroupeError("unauthorized", "A schedule belongs to a user. Sign in to make one.");
  }
  if (caller !== "host" && named !== undefined && ownerKey(checkOwner(named)) !== ownerKey(owner)) {
    throw new TroupeError("forbidden", "The runs of a schedule belong to its user. Leave owner out.");
  }
  return owner;
}

function checkId(id: string): void {
  if (isScheduleId(id)) return;
  const message = `id must have at most ${longestId} characters, where each byte outside of A-Z, a-z, 0-9 and _ . : @ - counts three times.`;
  throw new TroupeError("invalid_request", message);
}

/** Returns true if a string can be the id of a schedule. */
export function isScheduleId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.isWellFormed() && encodeKey(id).length <= longestId;
}

/** Checks the request of a schedule as if its run were accepted now: its input, its options and its length. */
function checkRequest(request: ScheduledRequest, owner: SessionOwner, registries: Registries): Definition["request"] {
  const { runId, kind, name, input, options, priority, note } = readRequest({ ...request, owner });
  const { sessionId = runId } = options;
  // Making a run checks its input and options. The run itself is not used.
  startRun(
    findTarget(registries, kind, name),
    { kind, input },
    toRunOpts({ runId, owner, sessionId, options }, { keys: {} }),
  );
  const checked = {
    kind,
    name,
    ...(input !== undefined && { input }),
    ...(request.options !== undefined && { options }),
    ...(request.priority !== undefined && { priority }),
    ...(note !== undefined && { note }),
  };
  if (JSON.stringify(checked).length <= longestRequest) return checked;
  throw new TroupeError("invalid_request", `request must have at most ${longestRequest} characters as JSON.`);
}

/** Checks changes of a schedule, and returns its definition after the changes. */
export function readChanges(
  before: ScheduleRecord,
  changes: Omit<ScheduleChanges, "isPaused">,
  registries: Registries,
): Definition {
  const { id, owner } = before;
  const { input, overlap, missed, maxMissed, jitterMs } = changes;
  const { request } = before;
  return {
    id,
    owner,
    overlap: overlap ?? before.overlap,
    missed: missed ?? before.missed,
    maxMissed: maxMissed ?? before.maxMissed,
    jitterMs: jitterMs ?? before.jitterMs,
    ...changedTimes(before, changes),
    request: input === undefined ? request : checkRequest({ ...request, input }, owner, registries),
  };
}

/**
 * Returns the times that the changes give a schedule, or else its present times. A `timeZone` alone changes the zone of
 * its cron expression.
 */
function changedTimes(before: ScheduleRecord, { cron, timeZone, everyMs, at }: GivenTimes): ScheduleTimes {
  if (cron === undefined && everyMs === undefined && at === undefined) {
    return timeZone === undefined ? timesOf(before) : readTimes({ ...timesOf(before), timeZone });
  }
  return readTimes({ cron, timeZone, everyMs, at });
}

/** Checks the names and values of the fields that change a schedule. */
export function readChangeFields(changes: ScheduleChanges): ScheduleChanges {
  return readOptions(changesTable, changes, where);
}

type GivenTimes = Pick<RunSchedule, "cron" | "timeZone" | "everyMs" | "at">;

/**
 * Returns the times of a schedule, with their zone. Throws `invalid_request` if there are no times, or several kinds of
 * times, or if a cron expression is wrong or has no times.
 */
function readTimes({ cron, timeZone, everyMs, at }: GivenTimes): ScheduleTimes {
  const given = [cron, everyMs, at].filter((value) => value !== undefined);
  if (given.length !== 1) {
    throw new TroupeError("invalid_request", `A schedule needs one of cron, everyMs and at, got ${given.length}.`);
  }
  if (cron !== undefined) return readCronTimes(cron, timeZone);
  if (timeZone !== undefined) {
    throw new TroupeError("invalid_request", "timeZone goes with cron: everyMs and at are the same in all time zones.");
  }
  return everyMs === undefined ? { at: at ?? 0 } : { everyMs };
}

function readCronTimes(cron: string, timeZone = "UTC"): ScheduleTimes {
  if (cronTimes(cron, timeZone).next(Date.now()) !== null) return { cron, timeZone };
  const message = `The cron expression ${JSON.stringify(cron)} has no times. Expected days that its months have.`;
  throw new TroupeError("invalid_request", message);
}

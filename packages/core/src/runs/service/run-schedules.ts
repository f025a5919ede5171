import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createId } from "../../base/util/create-id.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { RunEngine } from "../processes/run-engine.ts";
import type { Registries, ServiceSettings } from "../processes/run-service-options.ts";
import type { ServiceParts } from "../processes/service-parts.ts";
import { isEnded } from "../record/run-record.ts";
import type { AcceptedRun, RunCaller, RunRequest, RunView } from "../record/run-view.ts";
import { restart, setPaused, withWake } from "../schedules/schedule-plan.ts";
import { timesOf, toScheduleView } from "../schedules/schedule-record.ts";
import type { NewRunSchedule, RunSchedule, ScheduleRecord, ScheduleView } from "../schedules/schedule-record.ts";
import { ScheduleRunner } from "../schedules/schedule-runner.ts";
import { ScheduleStore } from "../schedules/schedule-store.ts";
import { scheduledRunId, scheduleIds } from "./accept-request.ts";
import { isScheduleId, readChangeFields, readChanges, readDefinition } from "./read-schedule.ts";
import type { Definition, ScheduleChanges } from "./read-schedule.ts";

type Init = {
  readonly store: ScheduleStore;
  readonly registries: Registries;
  readonly now: () => number;
  /** The maximum number of schedules of one owner with a user. */
  readonly maxPerOwner: number;
  readonly checkOpen: () => void;
  /** Called after each change, which may have made a schedule due. */
  readonly onChange: () => void;
};

/**
 * Schedules that begin runs, in the storage of the service. Each time of a schedule begins one run, however many
 * processes perform runs. A run belongs to the owner of its schedule.
 */
export class RunSchedules {
  readonly #init: Init;

  constructor(init: Init) {
    this.#init = init;
  }

  /**
   * Stores a schedule, replacing the schedule with the same id. If the times are the same as before, the schedule
   * continues: a program may call `put` for its schedules whenever it starts. A caller other than the host owns the
   * schedules that it stores.
   */
  async put(given: RunSchedule, caller: RunCaller = "host"): Promise<ScheduleView> {
    this.#init.checkOpen();
    const definition = readDefinition(given, caller, this.#init.registries);
    for (;;) {
      const before = await this.#init.store.read(definition.id);
      if (before !== null && !isReachable(before, caller)) {
        throw new TroupeError("conflict", "There is a schedule with this id already. Choose another id.");
      }
      const written = await (before === null ? this.#create(definition) : this.#replace(before, definition));
      if (written !== undefined) return this.#toView(written);
    }
  }

  /**
   * Stores a new schedule under a new id. A request with the idempotency key of an earlier request returns that request's
   * schedule as it is now, unless it asks for something else: that is `idempotency_mismatch`.
   */
  async create(given: NewRunSchedule, caller: RunCaller = "host"): Promise<ScheduleView> {
    this.#init.checkOpen();
    const { idempotencyKey, fingerprint: said = { ...given }, ...rest } = given;
    const definition = readDefinition({ ...rest, id: "new" }, caller, this.#init.registries);
    const { id, fingerprint } = scheduleIds(definition.owner, idempotencyKey, said);
    for (;;) {
      const before = await this.#init.store.read(id);
      if (before !== null && before.fingerprint !== fingerprint) throw otherRequest(id);
      const written = before ?? (await this.#create({ ...definition, id }, fingerprint));
      if (written !== undefined) return this.#toView(written);
    }
  }

  /** Returns a schedule. An unknown schedule, and a schedule of another owner, are `not_found`. */
  async get(id: string, caller: RunCaller = "host"): Promise<ScheduleView> {
    return toScheduleView(await this.#find(id, caller));
  }

  /** Returns the schedules of an owner with a user, or all schedules of the service for `"host"`, sorted by id. */
  async list(caller: RunCaller = "host"): Promise<ScheduleView[]> {
    if (caller === "host") return (await this.#init.store.listAll()).map(toScheduleView);
    const owner = checkOwner(caller);
    if (owner.userId === undefined) throw new TroupeError("invalid_request", "The list of schedules needs a userId.");
    return (await this.#init.store.listOf(owner)).map(toScheduleView);
  }

  /** Changes a schedule, safely with concurrent changes. */
  async change(id: string, changes: ScheduleChanges, caller: RunCaller = "host"): Promise<ScheduleView> {
    this.#init.checkOpen();
    const { isPaused, ...read } = readChangeFields(changes);
    const { store, registries, now } = this.#init;
    for (;;) {
      const before = await this.#find(id, caller);
      const next = changed(before, readChanges(before, read, registries), now());
      const written = await store.write(before, isPaused === undefined ? next : setPaused(next, isPaused, now()));
      if (written !== undefined) return this.#toView(written);
    }
  }

  /** Pauses a schedule. Its times are skipped until `resume`; a run that it has begun continues. */
  async pause(id: string, caller: RunCaller = "host"): Promise<ScheduleView> {
    return await this.change(id, { isPaused: true }, caller);
  }

  /** Ends the pause of a schedule, which continues with its next time. */
  async resume(id: string, caller: RunCaller = "host"): Promise<ScheduleView> {
    return await this.change(id, { isPaused: false }, caller);
  }

  /**
   * Removes a schedule. Runs that it has begun continue. For the host, removing an absent schedule is not an error; for
   * others it is `not_found`.
   */
  async remove(id: string, caller: RunCaller = "host"): Promise<void> {
    const { store } = this.#init;
    for (;;) {
      const record = caller === "host" ? await store.read(id) : await this.#find(id, caller);
      if (record === null || (await store.remove(record))) return;
    }
  }

  /** Removes all schedules of a user. */
  async forgetUser(owner: SessionOwner): Promise<void> {
    for (const { id } of await this.#init.store.listOf(checkOwner(owner))) {
      await this.remove(id, owner).catch((error: unknown) => {
        if (!TroupeError.is(error) || error.code !== "not_found") throw error;
      });
    }
  }

  #toView(record: ScheduleRecord): ScheduleView {
    this.#init.onChange();
    return toScheduleView(record);
  }

  async #find(id: string, caller: RunCaller): Promise<ScheduleRecord> {
    const record = isScheduleId(id) ? await this.#init.store.read(id) : null;
    if (record !== null && isReachable(record, caller)) return record;
    const shown = JSON.stringify(id.slice(0, 64));
    throw new TroupeError("not_found", `Schedule ${shown} not found. It may belong to another user.`);
  }

  /**
   * Stores a new schedule. It is listed for its owner first, so that schedules stored at the same time cannot exceed
   * the owner's limit together.
   */
  async #create(definition: Definition, fingerprint?: string): Promise<ScheduleRecord | undefined> {
    const { store, now, maxPerOwner } = this.#init;
    const at = now();
    const state = { createdAt: at, anchor: at, isPaused: false, next: null, pending: [], history: [], wakeAt: null };
    const ids = { mark: "", creation: createId(), ...(fingerprint !== undefined && { fingerprint }) };
    const record = withWake(restart({ v: 1, ...definition, ...state, ...ids }, at), at);
    await store.addToOwner(record);
    const isFull = definition.owner.userId !== undefined && (await store.countOf(definition.owner)) > maxPerOwner;
    const written = isFull ? undefined : await store.write(null, record);
    if (written === undefined) await store.removeFromOwner(record);
    if (isFull) {
      const message = `A user may have ${maxPerOwner} schedules. Remove a schedule first.`;
      throw new TroupeError("rate_limited", message);
    }
    return written;
  }

  async #replace(before: ScheduleRecord, definition: Definition): Promise<ScheduleRecord | undefined> {
    if (ownerKey(before.owner) !== ownerKey(definition.owner)) {
      throw new TroupeError("conflict", "A schedule keeps its owner. Remove it, and put it again.");
    }
    const { store, now } = this.#init;
    return await store.write(before, changed(before, definition, now()));
  }
}

/**
 * Returns a schedule's record with a new definition. If its times are the same, its planned times stay; otherwise they
 * are planned again.
 */
function changed(before: ScheduleRecord, definition: Definition, now: number): ScheduleRecord {
  const { v, createdAt, anchor, isPaused, next, pending, lastRunId, history, endedAt, wakeAt, mark, creation } = before;
  const state = { createdAt, anchor, isPaused, next, pending, history, wakeAt, mark, creation };
  const { fingerprint } = before;
  const optionalState = {
    ...(fingerprint !== undefined && { fingerprint }),
    ...(lastRunId !== undefined && { lastRunId }),
    ...(endedAt !== undefined && { endedAt }),
  };
  const record: ScheduleRecord = { v, ...definition, ...state, ...optionalState };
  if (equalJson(timesOf(before), timesOf(record))) return withWake(record, now);
  return withWake(restart({ ...record, anchor: now }, now), now);
}

function otherRequest(id: string): TroupeError {
  return new TroupeError(
    "idempotency_mismatch",
    "The idempotency key belongs to another request of this caller. Use a new key for a new request.",
    { fields: { id } },
  );
}

/**
 * Returns true if a caller may access a schedule. A schedule without a user is for the host alone: others may guess its
 * id, which is a name.
 */
function isReachable({ owner }: ScheduleRecord, caller: RunCaller): boolean {
  if (caller === "host") return true;
  const given = checkOwner(caller);
  return given.userId !== undefined && ownerKey(given) === ownerKey(owner);
}

type SchedulingInit = {
  readonly parts: ServiceParts;
  readonly engine: RunEngine;
  readonly settings: Pick<ServiceSettings, "retention" | "admission">;
  readonly service: {
    accept(request: RunRequest): Promise<AcceptedRun>;
    get(runId: string, caller: RunCaller): Promise<RunView>;
    cancel(runId: string, caller: RunCaller, reason?: string): Promise<"cancelled" | "cancelling" | "over">;
  };
  readonly checkOpen: () => void;
};

/** Makes the schedules of a service, and the runner that begins their runs while the service performs runs. */
export function makeScheduling({ parts, engine, settings, service, checkOpen }: SchedulingInit): {
  schedules: RunSchedules;
  runner: ScheduleRunner;
} {
  const { now, logger, registries, store: runs } = parts;
  const { retention, admission } = settings;
  const store = new ScheduleStore({ storage: runs.storage, keepMs: retention.recordMs });
  const runner = new ScheduleRunner({
    store,
    now,
    logger,
    toRunId: scheduledRunId,
    accept: async ({ request, ...ids }) => await service.accept({ ...request, ...ids }),
    isOpen: async (runId) => {
      const run = await service.get(runId, "host").catch(ignoreMissing);
      return run !== undefined && !isEnded(run.status);
    },
    cancel: async (runId) => await service.cancel(runId, "host", "The next time of its schedule has come."),
    mayBegin: () => engine.isClockWrong?.() !== true,
  });
  const maxPerOwner = admission.schedulesPerUser;
  return {
    schedules: new RunSchedules({ store, registries, now, maxPerOwner, checkOpen, onChange: () => runner.look() }),
    runner,
  };
}

function ignoreMissing(error: unknown): undefined {
  if (TroupeError.is(error) && error.code === "not_found") return undefined;
  throw error;
}

import type { EngineServeOptions, Schedule, Schedules } from "@troupe/core/runs";
import { TroupeError } from "@troupe/core";
import type { Job, Queue, Worker } from "bullmq";
import type { FailureLog } from "./engine-failure.ts";
import { scheduleQueueOf } from "./open-queue.ts";
import type { OpenQueue } from "./open-queue.ts";

/** Attempts to report a schedule's due time, which last about 17 hours. */
const attempts = 2000;
const againMs = 30_000;

type Use = <Result>(work: (queue: Queue) => Promise<Result>) => Promise<Result>;

/** The schedules of an engine, which BullMQ stores. BullMQ creates a job at each of their times. */
export class QueueSchedules implements Schedules {
  readonly #use: Use;

  constructor(use: Use) {
    this.#use = use;
  }

  async put({ id, ...given }: Schedule): Promise<void> {
    const { cron } = given;
    const times = cron === undefined ? { every: given.everyMs } : { pattern: cron, tz: given.timeZone };
    const opts = {
      removeOnComplete: true,
      removeOnFail: true,
      attempts,
      backoff: { type: "fixed", delay: againMs },
    };
    await this.#use(async (queue) => {
      try {
        const next = await queue.upsertJobScheduler(encodeURIComponent(id), times, { name: "due", data: {}, opts });
        if (next === undefined) throw neverDue(cron);
      } catch (error) {
        throw isOfTimes(error) ? wrongTimes(cron, error) : error;
      }
    });
  }

  async remove(id: string): Promise<void> {
    await this.#use((queue) => queue.removeJobScheduler(encodeURIComponent(id)));
  }

  async list(): Promise<Schedule[]> {
    const found = await this.#use((queue) => queue.getJobSchedulers());
    return found.map(({ key, pattern, tz, every }) => ({
      id: decodeURIComponent(key),
      ...(pattern ? { cron: pattern, timeZone: tz ?? "UTC" } : { everyMs: Number(every) }),
    }));
  }
}

/** Starts reporting when schedules are due, each with the time at which it was due. */
export function serveSchedules(
  { backend }: OpenQueue,
  init: { queue: string; onSchedule: Required<EngineServeOptions>["onSchedule"]; log: FailureLog },
): Worker {
  const { queue, onSchedule, log } = init;
  const process = async (job: Job): Promise<void> => {
    // BullMQ's id of such a job is `repeat:<id>:<time>`.
    const at = Number(job.id?.split(":").at(-1));
    try {
      await onSchedule(decodeURIComponent(job.repeatJobKey ?? ""), at);
    } catch (error) {
      log.warn("A due time of a schedule failed. It is tried again.", error);
      throw error;
    }
  };
  const settings = { concurrency: 10, maxStalledCount: 2 ** 31 - 1, stalledInterval: 10_000, runRetryDelay: 1000 };
  const worker = backend.makeWorker(scheduleQueueOf(queue), process, settings);
  worker.on("error", (error) => log.warn("The schedules of the engine failed.", error));
  return worker;
}

/** Returns true if BullMQ could not read a cron expression or a time zone. */
function isOfTimes(error: unknown): boolean {
  return error instanceof Error && !("code" in error) && !/connect|terminated|timeout/i.test(error.message);
}

function wrongTimes(cron: string | undefined, cause: unknown): TroupeError {
  const message = `The cron expression "${cron}" of a schedule cannot be read. Expected five fields, or six with seconds first, and an IANA time zone.`;
  return new TroupeError("invalid_request", message, { cause });
}

/** Makes the error for a cron expression that never matches: BullMQ creates no schedule for it and reports no error. */
function neverDue(cron: string | undefined): TroupeError {
  const message = `The cron expression "${cron}" of a schedule has no times. Expected days that its months have.`;
  return new TroupeError("invalid_request", message);
}

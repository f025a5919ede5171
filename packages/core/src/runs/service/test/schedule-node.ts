import { createLogger } from "../../../base/log/logger.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import { DyingDriver } from "../../../sessions/storage/test/dying-driver.ts";
import type { DeathPlan } from "../../../sessions/storage/test/dying-driver.ts";
import type { RunStorage } from "../../record/run-record.ts";
import type { RunSchedule } from "../../schedules/schedule-record.ts";
import { ScheduleRunner } from "../../schedules/schedule-runner.ts";
import type { DueRun } from "../../schedules/schedule-runner.ts";
import { ScheduleStore } from "../../schedules/schedule-store.ts";
import { scheduledRunId } from "../accept-request.ts";
import { RunSchedules } from "../run-schedules.ts";
import { scriptedAgent } from "./services.ts";

/** The runs of schedules, in a storage that all processes share: each id has at most one run. */
export class BegunRuns {
  /** The times whose runs have begun, as `<schedule> <time>`, in order. */
  readonly begun: string[] = [];
  /** The runs that are not over, by id. */
  readonly open = new Set<string>();
  readonly cancelled: string[] = [];
  /** True while runs stay open until a test ends them. */
  staysOpen = false;
  /** An error of the acceptance of a run. */
  failure: Error | undefined;

  /** Accepts a run by a call of a storage, at which its process may end. */
  async accept(storage: RunStorage, { runId, idempotencyKey }: DueRun): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    await storage.compareAndSet("accepted", runId, null, { key: idempotencyKey });
  }

  /** Makes a storage that notes each run that is stored, even if the process that stored it ends with that call. */
  makeStorage(): InMemoryStorage {
    const storage = new InMemoryStorage();
    const compareAndSet = storage.compareAndSet.bind(storage);
    return Object.assign(storage, {
      compareAndSet: async (...args: Parameters<typeof compareAndSet>) => {
        const isDone = await compareAndSet(...args);
        const [namespace, runId, , next] = args;
        if (isDone && namespace === "accepted") {
          this.begun.push((next as { key: string }).key.replace("schedule ", ""));
          if (this.staysOpen) this.open.add(runId);
        }
        return isDone;
      },
    });
  }
}

type NodeInit = {
  readonly storage: StorageDriver;
  readonly runs: BegunRuns;
  readonly now: () => number;
  readonly death?: DeathPlan | undefined;
  readonly maxPerOwner?: number;
};

/** A process that has schedules and begins their runs, until it ends at one of its calls of the storage. */
export class ScheduleNode {
  readonly schedules: RunSchedules;
  readonly runner: ScheduleRunner;
  readonly store: ScheduleStore;
  readonly #dying: DyingDriver;

  constructor({ storage, runs, now, death = { atCall: Infinity, death: "before it" }, maxPerOwner = 20 }: NodeInit) {
    this.#dying = new DyingDriver(storage, death);
    const driver = this.#dying.driver as RunStorage;
    this.store = new ScheduleStore({ storage: driver, keepMs: 7 * 86_400_000 });
    this.runner = new ScheduleRunner({
      store: this.store,
      now,
      logger: createLogger({ level: "silent" }),
      toRunId: scheduledRunId,
      accept: async (run) => await runs.accept(driver, run),
      isOpen: async (runId) => runs.open.has(runId),
      cancel: async (runId) => {
        runs.cancelled.push(runId);
        return runs.open.delete(runId) ? "cancelled" : "over";
      },
      mayBegin: () => true,
    });
    this.schedules = new RunSchedules({
      store: this.store,
      registries: { agents: { a: scriptedAgent([]) } },
      now,
      maxPerOwner,
      checkOpen: () => undefined,
      onChange: () => undefined,
    });
  }

  get hasDied(): boolean {
    return this.#dying.hasDied;
  }
}

const minuteMs = 60_000;

/** The time at which the clock of `makeNode` begins. */
export const start = Date.UTC(2027, 0, 1);

/** A schedule of a run every ten minutes. */
export const each: RunSchedule = {
  id: "each",
  everyMs: 10 * minuteMs,
  request: { kind: "agent", name: "a", input: "Report." },
};

/** Makes one process with schedules, whose clock the test sets in minutes. */
export function makeNode({ maxPerOwner = 20 } = {}) {
  const runs = new BegunRuns();
  const storage = runs.makeStorage();
  const clock = { now: start };
  const node = new ScheduleNode({ storage, runs, now: () => clock.now, maxPerOwner });
  const passAt = async (minutes: number) => {
    clock.now = start + minutes * minuteMs;
    await node.runner.pass();
  };
  const begun = () => runs.begun.map((key) => (Number(key.split(" ").at(-1)) - start) / minuteMs);
  const history = async (id = "each") => {
    const { history: events } = await node.schedules.get(id);
    return events.map(({ status, at, until }) => {
      const minutes = [at, ...(until === undefined ? [] : [until])].map((time) => (time - start) / minuteMs);
      return `${status} ${minutes.join("-")}`;
    });
  };
  return { runs, storage, clock, node, schedules: node.schedules, passAt, begun, history };
}

import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import type { Schedule, Schedules } from "../processes/run-engine.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunStorage } from "../record/run-record.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { heldStorage } from "../../sessions/storage/test/held-storage.ts";
import type { Hold } from "../../sessions/storage/test/held-storage.ts";
import { RunSchedules } from "./run-schedules.ts";
import type { RunSchedule } from "./run-schedules.ts";
import { scriptedAgent } from "./test/services.ts";

it("after quiet the storage and the engine have the last schedule that was taken, in any order of changes [async.interleavings]", async () => {
  await checkInterleavings(changeSchedules, { seed: 38_801, numRuns: 120, maxSteps: 40 });
});

/** A change of the schedule: the input of its runs, or `undefined` for its removal. */
type Change = {
  readonly input: string | undefined;
  readonly begun: number;
  ended: number;
  outcome: "under way" | "made" | "refused" | "lost";
};

/** Two processes with one storage and one engine, who change one schedule. */
class World {
  readonly changes: Change[] = [{ input: undefined, begun: -1, ended: -1, outcome: "made" }];
  readonly kept = new Map<string, Schedule>();
  readonly storage = new InMemoryStorage();
  readonly #held: HeldCalls;
  readonly #processes: readonly RunSchedules[];
  #now = 0;
  isHolding = true;

  constructor(held: HeldCalls) {
    this.#held = held;
    this.#processes = [this.#process(), this.#process()];
  }

  #process(): RunSchedules {
    const driver = heldStorage(this.storage, this.#hold);
    const schedules: Schedules = {
      put: async (schedule) => await this.#hold("the engine's put", () => this.#take(schedule)),
      remove: async (id) => await this.#hold("the engine's remove", () => void this.kept.delete(id)),
      list: async () => await this.#hold("the engine's list", () => [...this.kept.values()]),
    };
    const registries = { agents: { a: scriptedAgent([]) } };
    const accept = async () => expect.unreachable();
    return new RunSchedules({ schedules, storage: driver as RunStorage, registries, logger: undefined, accept });
  }

  readonly #hold: Hold = async (name, work) =>
    this.isHolding ? await this.#held.hold(name, async () => await work()) : await work();

  #take(schedule: Schedule): void {
    if (schedule.cron === "wrong") throw new TroupeError("invalid_request", "This cron expression cannot be read.");
    this.kept.set(schedule.id, schedule);
  }

  async put(at: 0 | 1, times: { cron: string } | { everyMs: number }): Promise<void> {
    const input = `ä${this.changes.length}`;
    const schedule: RunSchedule = { id: "daily", ...times, request: { kind: "agent", name: "a", input } };
    await this.#change(input, async () => await this.#processes[at]?.put(schedule));
  }

  async remove(at: 0 | 1): Promise<void> {
    await this.#change(undefined, async () => await this.#processes[at]?.remove("daily"));
  }

  async #change(input: string | undefined, work: () => Promise<unknown>): Promise<void> {
    const change: Change = { input, begun: this.#now++, ended: Infinity, outcome: "under way" };
    this.changes.push(change);
    try {
      await work();
      change.outcome = "made";
    } catch (error) {
      change.outcome = TroupeError.is(error) ? "refused" : "lost";
    }
    // What failed may be made later: its process may have died.
    if (change.outcome !== "lost") change.ended = this.#now++;
  }

  async restore(at: 0 | 1): Promise<void> {
    await this.#processes[at]?.restore();
  }

  async list(): Promise<RunSchedule[]> {
    return (await this.#processes[0]?.list()) ?? [];
  }

  /** True for a change that may be the last one: none that was made began after its end. */
  mayBeLast({ outcome, ended }: Change): boolean {
    const isAfter = (other: Change): boolean => other.outcome === "made" && other.begun > ended;
    return outcome !== "refused" && !this.changes.some(isAfter);
  }
}

function changeSchedules(held: HeldCalls): Scene {
  const world = new World(held);
  let everyMs = 1000;
  return {
    operations: {
      "one puts": async () => await world.put(0, { everyMs: (everyMs += 1000) }),
      "the other puts": async () => await world.put(1, { everyMs: (everyMs += 1000) }),
      "one puts a wrong one": async () => await world.put(0, { cron: "wrong" }),
      "the other puts a wrong one": async () => await world.put(1, { cron: "wrong" }),
      "one removes": async () => await world.remove(0),
      "the other removes": async () => await world.remove(1),
      "one restores": async () => await world.restore(0),
      "the other restores": async () => await world.restore(1),
    },
    afterwards: async () => {
      world.isHolding = false;
      // A change after another that died in its midst is undone step by step.
      for (const _ of world.changes) await world.restore(0);
      const [schedule] = await world.list();
      const last = world.changes.filter((change) => world.mayBeLast(change)).map(({ input }) => input);
      expect(last).toContain(schedule?.request.input);
      // A time of a schedule that was removed is refused when it falls due, and the engine's is removed then.
      if (schedule === undefined) return;
      const { request: _request, ...times } = schedule;
      expect(world.kept.get("daily")).toEqual(times);
      const stored = await world.storage.list("run-schedules");
      expect(stored.map(({ value }) => Object.keys(value as object).toSorted())).toEqual([
        ["everyMs", "id", "request", "v"],
      ]);
    },
  };
}

import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { heldStorage } from "../../sessions/storage/test/held-storage.ts";
import type { Hold } from "../../sessions/storage/test/held-storage.ts";
import { BegunRuns, ScheduleNode } from "./test/schedule-node.ts";

it("in any order of changes and looks by two processes, each time begins once and the lists lead to the schedule [async.interleavings]", async () => {
  await checkInterleavings(changeSchedules, { seed: 43_801, numRuns: 150, maxSteps: 60 });
});

const start = Date.UTC(2027, 0, 1);
const request = { kind: "agent", name: "a", input: "Report." } as const;
const owner = { userId: "ada" };

/** Two processes with one storage, who change one schedule and begin its runs. */
class World {
  readonly runs = new BegunRuns();
  readonly storage = this.runs.makeStorage();
  readonly nodes: readonly ScheduleNode[];
  readonly #held: HeldCalls;
  isHolding = true;
  now = start;

  constructor(held: HeldCalls) {
    this.#held = held;
    this.nodes = [0, 1].map(() => {
      return new ScheduleNode({
        storage: heldStorage(this.storage, this.#hold),
        runs: this.runs,
        now: () => this.now,
        maxPerOwner: 2,
      });
    });
  }

  readonly #hold: Hold = async (name, work) =>
    this.isHolding ? await this.#held.hold(name, async () => await work()) : await work();

  /** Makes a change, which may be refused. */
  async try(work: (node: ScheduleNode) => Promise<unknown>, at: 0 | 1): Promise<void> {
    const node = this.nodes[at];
    if (node === undefined) return;
    await work(node).catch((error: unknown) => {
      if (!TroupeError.is(error) || !["not_found", "rate_limited"].includes(error.code)) throw error;
    });
  }
}

function changeSchedules(held: HeldCalls): Scene {
  const world = new World(held);
  let everyMs = 10_000;
  const put = async ({ schedules }: ScheduleNode) => {
    await schedules.put({ id: "daily", everyMs: (everyMs += 1000), request, missed: "all", overlap: "queue" }, owner);
  };
  const pass = async ({ runner }: ScheduleNode) => {
    world.now += 7000;
    await runner.pass();
  };
  return {
    operations: {
      "one puts": async () => await world.try(put, 0),
      "the other puts": async () => await world.try(put, 1),
      "one pauses": async () => await world.try(async ({ schedules }) => await schedules.pause("daily", owner), 0),
      "the other resumes": async () =>
        await world.try(async ({ schedules }) => await schedules.resume("daily", owner), 1),
      "one removes": async () => await world.try(async ({ schedules }) => await schedules.remove("daily", owner), 0),
      "one looks": async () => await world.try(pass, 0),
      "the other looks": async () => await world.try(pass, 1),
    },
    afterwards: async () => {
      world.isHolding = false;
      const { begun } = world.runs;
      expect(begun.length).toBe(new Set(begun).size);
      const [node] = world.nodes;
      const [schedule] = (await node?.schedules.list()) ?? [];
      expect(await node?.schedules.list(owner)).toEqual(schedule === undefined ? [] : [schedule]);
      if (schedule?.status !== "active") return;
      const before = begun.length;
      world.now += 200_000;
      await node?.runner.pass();
      expect(begun.length).toBeGreaterThan(before);
    },
  };
}

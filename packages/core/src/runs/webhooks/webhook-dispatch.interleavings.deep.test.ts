import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { heldStorage } from "../../sessions/storage/test/held-storage.ts";
import type { Hold } from "../../sessions/storage/test/held-storage.ts";
import type { GuardedFetch } from "../../provider/wire/guarded-fetch.ts";
import { attemptAll, deliveriesIn, processOf, Receivers, running, secretOf, settingsOf } from "./test/webhook-world.ts";

it("one of four processes sends a delivery at a time, and each delivery arrives, in any order of their calls [async.interleavings] [webhooks.exclusion]", async () => {
  await checkInterleavings(deliver, { seed: 43_001, numRuns: 80, maxSteps: 60 });
});

const settings = settingsOf([{ url: "https://one.example.com/", secrets: [secretOf("a")] }]);
const runIds = ["r1", "ä2"];

/** Four processes that send the deliveries of two runs to one receiver. */
class World {
  readonly storage = new InMemoryStorage();
  readonly receivers = new Receivers();
  readonly #inFlight = new Set<string>();
  readonly #held: HeldCalls;
  readonly #processes: readonly ReturnType<typeof processOf>[];
  isHolding = true;
  now = 1_000_000;

  constructor(held: HeldCalls) {
    this.#held = held;
    this.#processes = [1, 2, 3, 4].map(() => {
      const driver = heldStorage(this.storage, this.#hold);
      return processOf(driver, { settings, now: () => this.now, fetch: this.#fetch });
    });
  }

  readonly #hold: Hold = async (name, work) =>
    this.isHolding ? await this.#held.hold(name, async () => await work()) : await work();

  readonly #fetch: GuardedFetch = async (url, request) => {
    const id = request?.headers?.["webhook-id"] ?? "";
    this.#held.check(!this.#inFlight.has(id), `two processes send ${id}`);
    this.#inFlight.add(id);
    try {
      return await this.#hold("the receiver", async () => await this.receivers.fetch(url, request));
    } finally {
      this.#inFlight.delete(id);
    }
  };

  async finish(at: number, runId: string): Promise<void> {
    await this.#processes[at]?.store.finish(runId, { status: "completed" });
  }

  async attempt(at: number): Promise<void> {
    const of = this.#processes[at];
    if (of !== undefined) await attemptAll(of, this.now);
  }

  /** Time passes, and with it leases, unless a request would be longer on its way than it may be. */
  passTime(): void {
    if (this.#inFlight.size === 0 || !this.isHolding) this.now += 60_000;
  }

  /** Ends and settles all runs, as the sweep does after a crash. */
  async sweep(): Promise<void> {
    for (const runId of runIds) {
      await this.finish(0, runId);
    }
    for (const { store } of this.#processes) await store.flush();
  }
}

async function deliver(held: HeldCalls): Promise<Scene> {
  const world = new World(held);
  world.isHolding = false;
  const { store } = processOf(world.storage, { settings, now: () => world.now, fetch: world.receivers.fetch });
  for (const runId of runIds) await store.insert(running(runId));
  world.isHolding = true;
  return {
    operations: {
      "one ends the first run": async () => await world.finish(0, "r1"),
      "another ends the first run": async () => await world.finish(1, "r1"),
      "one ends the second run": async () => await world.finish(2, "ä2"),
      "one sends": async () => await world.attempt(0),
      "another sends": async () => await world.attempt(1),
      "a third sends": async () => await world.attempt(2),
      "a fourth sends": async () => await world.attempt(3),
      "time passes": () => world.passTime(),
      "the receiver is down": () => void (world.receivers.answer = () => 503),
      "the receiver is up": () => void (world.receivers.answer = () => 204),
    },
    afterwards: async () => {
      world.isHolding = false;
      world.receivers.answer = () => 204;
      await world.sweep();
      for (let round = 0; round < 30; round++) {
        world.now += 3_600_000;
        await world.attempt(round % 4);
      }
      expect((await deliveriesIn(world.storage)).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
      expect(await world.storage.list("outbox")).toEqual([]);
      const ids = new Set(world.receivers.received.map(({ headers }) => headers["webhook-id"]));
      expect(ids.size).toBe(2);
    },
  };
}

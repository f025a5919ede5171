import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { heldStorage } from "../../sessions/storage/test/held-storage.ts";
import type { Hold } from "../../sessions/storage/test/held-storage.ts";
import type { GuardedFetch } from "../../provider/wire/guarded-fetch.ts";
import { story, subscribe, toldBy } from "./test/run-story.ts";
import { attemptAll, processOf, Receivers, running } from "./test/webhook-world.ts";

it("the notifications of a subscription are sent by one of three processes at a time, in order, all of those of the config that was put last, in any order of their calls [async.interleavings] [webhooks.exclusion] [durable.subscriptions-taken]", async () => {
  await checkInterleavings(notify, { seed: 43_009, numRuns: 80, maxSteps: 60 });
});

/** A change of the subscription: the address that was put, or `undefined` for its removal. */
type Change = { readonly url: string | undefined; readonly begun: number; ended: number; isMade: boolean };

/** Three processes that notify the subscriptions of a run. */
class World {
  readonly storage = new InMemoryStorage();
  readonly receivers = new Receivers();
  readonly changes: Change[] = [];
  readonly #inFlight = new Set<string>();
  readonly #held: HeldCalls;
  readonly #processes: readonly ReturnType<typeof processOf>[];
  isHolding = false;
  now = 1_000_000;
  #tick = 0;

  constructor(held: HeldCalls) {
    this.#held = held;
    this.#processes = [1, 2, 3].map(() => {
      return processOf(heldStorage(this.storage, this.#hold), { now: () => this.now, fetch: this.#fetch });
    });
  }

  readonly #hold: Hold = async (name, work) =>
    this.isHolding ? await this.#held.hold(name, async () => await work()) : await work();

  readonly #fetch: GuardedFetch = async (url, request) => {
    this.#held.check(!this.#inFlight.has(String(url)), `two processes notify ${String(url)}`);
    this.#inFlight.add(String(url));
    try {
      return await this.#hold("the receiver", async () => await this.receivers.fetch(url, request));
    } finally {
      this.#inFlight.delete(String(url));
    }
  };

  process(at: number): ReturnType<typeof processOf> {
    return this.#processes[at] ?? expect.unreachable();
  }

  async put(at: number): Promise<void> {
    const url = `https://hooks.example.com/${this.changes.length}`;
    await this.#change(url, async () => await subscribe(this.process(at), url));
  }

  async delete(at: number): Promise<void> {
    await this.#change(undefined, async () => await this.process(at).subscriptions.delete("r1", "host", "ä/1"));
  }

  async #change(url: string | undefined, work: () => Promise<unknown>): Promise<void> {
    const change: Change = { url, begun: this.#tick++, ended: Infinity, isMade: false };
    this.changes.push(change);
    await work();
    change.isMade = true;
    change.ended = this.#tick++;
  }

  async send(at: number): Promise<void> {
    await attemptAll(this.process(at), this.now);
  }

  /** Time passes, and with it leases, unless a request would be longer on its way than it may be. */
  passTime(): void {
    if (this.#inFlight.size === 0 || !this.isHolding) this.now += 60_000;
  }

  /** The addresses that may be those of the last change: no change that was made began after their end. */
  get last(): (string | undefined)[] {
    const isLast = ({ ended }: Change) => !this.changes.some((other) => other.isMade && other.begun > ended);
    return this.changes.filter(isLast).map(({ url }) => url);
  }
}

async function notify(held: HeldCalls): Promise<Scene> {
  const world = new World(held);
  await world.process(0).store.insert(running("r1"));
  await story.begin(world.process(0).store);
  await world.put(0);
  world.isHolding = true;
  const { store } = world.process(1);
  return {
    operations: {
      "one puts": async () => await world.put(0),
      "another puts": async () => await world.put(1),
      "one deletes": async () => await world.delete(0),
      "the run waits": async () => await story.wait(store),
      "the run goes on": async () => await story.goOn(store),
      "the run ends": async () => await story.end(store),
      "one sends": async () => await world.send(0),
      "another sends": async () => await world.send(1),
      "a third sends": async () => await world.send(2),
      "time passes": () => world.passTime(),
      "the receiver is down": () => void (world.receivers.answer = () => 503),
      "the receiver is up": () => void (world.receivers.answer = () => 204),
    },
    afterwards: async () => {
      world.isHolding = false;
      world.receivers.answer = () => 204;
      await story.end(world.process(0).store);
      for (let round = 0; round < 30; round++) {
        world.now += 3_600_000;
        await world.send(round % 3);
      }
      expect(await world.storage.list("outbox")).toEqual([]);
      const [listed] = await world.process(0).subscriptions.list("r1", "host");
      const url = (listed?.data as { url: string } | undefined)?.url;
      expect(world.last).toContain(url);
      for (const { url: address = "" } of world.changes) {
        // The log has at most four records, so the positions in the ids are in the order of their texts.
        const ids = world.receivers.at(address).map(({ headers }) => String(headers["id"]));
        expect(ids).toEqual(ids.toSorted((one, other) => (one < other ? -1 : 1)));
      }
      const told = url === undefined ? ["end"] : toldBy(world.receivers.at(url));
      expect(told.at(-1)).toMatch(/^end/);
    },
  };
}

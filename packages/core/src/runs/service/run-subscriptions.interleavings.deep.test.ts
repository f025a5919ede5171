import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { LiveNodes } from "../processes/live-nodes.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { KeyVault } from "../record/key-vault.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import { RunStore } from "../record/run-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { heldStorage } from "../../sessions/storage/test/held-storage.ts";
import type { Hold } from "../../sessions/storage/test/held-storage.ts";
import { RunSubscriptions } from "./run-subscriptions.ts";
import type { HeldSubscription } from "./run-subscriptions.ts";

it("after quiet a run has the subscription that was put last, and one process serves it, in any order of changes and take-overs [async.interleavings]", async () => {
  await checkInterleavings(subscribe, { seed: 38_802, numRuns: 60, maxSteps: 40 });
});

/** A change of the subscription: the data that was put, or `undefined` for its removal. */
type Change = { readonly data: string | undefined; readonly begun: number; ended: number; isMade: boolean };

const run: RunRecord = {
  ...({ v: 1, runId: "r", kind: "agent", name: "a", sessionId: "s", options: {}, plan: { tools: {} } } as const),
  ...({ owner: { userId: "ada" }, status: "running", createdAt: 0, priority: 1, activation: 1, attempts: 1 } as const),
};

/** Two processes that serve the subscriptions of one run. */
class World {
  readonly storage = new InMemoryStorage();
  readonly changes: Change[] = [{ data: undefined, begun: -1, ended: -1, isMade: true }];
  readonly serving: HeldSubscription[] = [];
  readonly subscriptions: readonly [RunSubscriptions, RunSubscriptions];
  isHolding = true;
  readonly #held: HeldCalls;
  readonly #turns: [Promise<unknown>, Promise<unknown>] = [Promise.resolve(), Promise.resolve()];
  #now = 0;
  #ended = 0;

  constructor(held: HeldCalls) {
    this.#held = held;
    this.subscriptions = [this.#process("n1"), this.#process("n2")];
  }

  #process(id: string): RunSubscriptions {
    const driver = heldStorage(this.storage, this.#hold);
    const nodes = new LiveNodes({
      storage: driver,
      id,
      name: id,
      isAlone: false,
      describe: () => ({ kinds: [] }) as never,
      onError: () => undefined,
    });
    const store = new RunStore(driver as RunStorage, () => this.#now++, true);
    const find = async (): Promise<RunRecord> => (await store.read("r")) ?? expect.unreachable();
    const vault = new KeyVault(this.storage);
    return new RunSubscriptions({ store, vault, logger: undefined, nodes, now: () => this.#now++, find });
  }

  readonly #hold: Hold = async (name, work) =>
    this.isHolding ? await this.#held.hold(name, async () => await work()) : await work();

  async put(at: 0 | 1, fromStart: boolean): Promise<void> {
    const data = `ä${this.changes.length}`;
    await this.#change(at, data, async () => {
      const held = await this.subscriptions[at].put("r", "host", { id: "ä/1", data, fromStart, most: 1 });
      if (held !== undefined) this.serving.push(held);
    });
  }

  async delete(at: 0 | 1): Promise<void> {
    await this.#change(at, undefined, async () => await this.subscriptions[at].delete("r", "host", "ä/1"));
  }

  /** Changes of one process are made one after the other. */
  async #change(at: 0 | 1, data: string | undefined, work: () => Promise<unknown>): Promise<void> {
    const change: Change = { data, begun: this.#now++, ended: Infinity, isMade: false };
    this.changes.push(change);
    const turn = this.#turns[at].then(work);
    this.#turns[at] = turn.catch(() => undefined);
    await turn;
    change.isMade = true;
    change.ended = this.#now++;
  }

  async takeUp(at: 0 | 1): Promise<void> {
    for await (const held of this.subscriptions[at].takeUp()) this.serving.push(held);
  }

  async release(at: 0 | 1): Promise<void> {
    await this.subscriptions[at].release();
  }

  async advance(index: number): Promise<boolean> {
    const held = this.serving.at(index);
    if (held === undefined) return false;
    const { after, sent, attempt } = held.place;
    return await held.advance({ after, sent: sent + 1, attempt });
  }

  async end(): Promise<void> {
    this.#ended += this.serving.length === 0 ? 0 : 1;
    await this.serving.at(-1)?.end();
  }

  get hasEnded(): boolean {
    return this.#ended > 0;
  }

  /** True for a change that may be the last one: none that was made began after its end. */
  mayBeLast({ ended }: Change): boolean {
    return !this.changes.some((other) => other.isMade && other.begun > ended);
  }
}

async function subscribe(held: HeldCalls): Promise<Scene> {
  const world = new World(held);
  await world.storage.set(runNamespaces.runs, "r", run as never);
  return {
    operations: {
      "one puts": async () => await world.put(0, true),
      "the other puts": async () => await world.put(1, false),
      "one deletes": async () => await world.delete(0),
      "the other deletes": async () => await world.delete(1),
      "one takes up": async () => await world.takeUp(0),
      "the other takes up": async () => await world.takeUp(1),
      "the first is told": async () => await world.advance(0),
      "the last is told": async () => await world.advance(-1),
      "all is told to the last": async () => await world.end(),
    },
    afterwards: async () => {
      world.isHolding = false;
      await world.release(0);
      await world.takeUp(1);
      const listed = await world.subscriptions[0].list("r", "host");
      const last = world.changes.filter((change) => world.mayBeLast(change)).map(({ data }) => data);
      expect(last).toContain(listed[0]?.data);
      expect(listed.map(({ id }) => id)).toEqual(listed.map(() => "ä/1"));
      const isOpen = (await world.storage.list(runNamespaces.subscriptions, "open/")).length > 0;
      expect(isOpen || listed.length === 0 || world.hasEnded).toBe(true);
      const told = [];
      for (const index of world.serving.keys()) told.push(await world.advance(index));
      expect(told.filter(Boolean)).toHaveLength(isOpen ? 1 : 0);
    },
  };
}

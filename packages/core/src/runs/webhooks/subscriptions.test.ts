import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import { toldCalls } from "../../sessions/storage/test/told-calls.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { KeyVault } from "../record/key-vault.ts";
import { Subscriptions } from "./subscriptions.ts";
import { story, subscribe, wholeStory } from "./test/run-story.ts";
import { processOf, Receivers, running } from "./test/webhook-world.ts";
import { playAll, world } from "./test/subscription-world.ts";

const url = "https://hooks.example.com/s3cret";

describe("a subscription to a run", () => {
  it("is notified of attempts, waits and the end, in order and once, and noted in the run's deliveries [durable.subscriptions]", async () => {
    const made = await world();
    await subscribe(made.of, url);
    made.clock.now += 10_000;
    await made.send();
    expect(made.told()).toEqual(["attempt 1"]);
    await playAll(made);
    expect(made.told()).toEqual(wholeStory);
    expect(new Set(made.receivers.received.map(({ headers }) => headers["id"])).size).toBe(5);
    expect(await made.storage.list("outbox")).toEqual([]);
    const seen = (await made.rows()).map(({ type, webhook, status, attempts }) => {
      return `${type} ${webhook} ${status} ${attempts}`;
    });
    const types = ["run.started", "run.waiting", "run.started", "run.completed", "run.completed"];
    expect(seen.toSorted()).toEqual(types.map((type) => `${type} subscription delivered 1`).toSorted());
    made.clock.now += 86_400_000;
    await made.send();
    expect(made.told()).toHaveLength(5);
  });

  it("begins with the run, or with what comes next; of a run that is over nothing follows [durable.subscriptions]", async () => {
    const made = await world();
    await subscribe(made.of, url, { fromStart: false });
    await playAll(made);
    expect(made.told()).toEqual(wholeStory.slice(1));
    await subscribe(made.of, `${url}/late`, { id: "late", fromStart: false });
    made.clock.now += 10_000;
    await made.send();
    expect(made.receivers.at(`${url}/late`)).toEqual([]);
    expect(await made.of.subscriptions.list("r1", "host")).toHaveLength(2);
  });

  it("is for the run's owner, replaced by its id, limited in number, and goes with the run [durable.subscriptions]", async () => {
    const { of, storage } = await world();
    await subscribe(of, url, { id: "one" });
    await subscribe(of, url, { id: "two" });
    await subscribe(of, `${url}/2`, { id: "one" });
    const listed = await of.subscriptions.list("r1", { userId: "ada" });
    expect(listed.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { id: "one", data: { url: `${url}/2` } },
      { id: "two", data: { url } },
    ]);
    await expect(of.subscriptions.list("r1", { userId: "eve" })).rejects.toMatchObject({ code: "not_found" });
    await expect(of.subscriptions.delete("r1", { userId: "eve" }, "one")).rejects.toMatchObject({ code: "not_found" });
    await expect(subscribe(of, url, { id: "three" })).rejects.toMatchObject({ code: "conflict" });
    await of.subscriptions.delete("r1", "host", "two");
    await subscribe(of, url, { id: "three" });
    const record = await of.store.read("r1");
    if (record !== null) await of.store.lists.remove(record);
    expect(await storage.list("webhooks")).toEqual([]);
  });

  it("is sealed in a lasting storage, and not kept there without seal keys [durable.subscriptions-sealed]", async () => {
    const storage = new SharedStorage(new InMemoryStorage());
    const receivers = new Receivers();
    const of = processOf(storage, { now: () => 1, fetch: receivers.fetch });
    await of.store.insert(running("r1"));
    const onDue = (): void => undefined;
    const parts = { store: of.store, now: () => 1, logger: undefined, onDue };
    const bare = new Subscriptions({ ...parts, vault: new KeyVault(storage) });
    await expect(subscribe({ subscriptions: bare }, url)).rejects.toThrow("sealKeys");
    expect(await storage.list("webhooks")).toEqual([]);
    await subscribe(of, url);
    const stored = JSON.stringify([await storage.list("webhooks"), await storage.list("outbox")]);
    for (const secret of ["s3cret", "hooks.example"]) expect(stored).not.toContain(secret);
    const other = new Subscriptions({
      ...parts,
      vault: new KeyVault(storage, ["another key to seal with, quite long"]),
    });
    expect(await other.list("r1", "host")).toEqual([]);
  });

  it.each(["fail-before", "fail-after"] as const)(
    "is looked at once it is stored, whichever call of the storage fails: %s [durable.subscriptions]",
    async (fault) => {
      const outcomes = new Set<string>();
      for (let call = 1; call <= 8; call++) {
        const made = await world();
        let calls = 0;
        const faulty = faultyStorage(made.storage, () => ((calls += 1) === call ? fault : undefined));
        const clock = made.clock;
        const of = processOf(faulty, { now: () => clock.now, fetch: made.receivers.fetch });
        const [put] = await Promise.allSettled([subscribe(of, url)]);
        calls = Infinity;
        const listed = await made.of.subscriptions.list("r1", "host");
        clock.now += 10_000;
        await made.send();
        expect(made.told()).toEqual(listed.map(() => "attempt 1"));
        outcomes.add(`${put.status} ${listed.length}`);
      }
      expect([...outcomes].toSorted()).toEqual(["fulfilled 1", "rejected 0", "rejected 1"]);
    },
  );
});

it("an event costs a subscription six writes of the storage, and each further notification of it two", async () => {
  const made = await world();
  await subscribe(made.of, url);
  made.clock.now += 10_000;
  await made.send();
  const { driver, calls } = toldCalls(made.storage);
  const of = processOf(driver, { now: () => made.clock.now, fetch: made.receivers.fetch });
  const writes = async (step: (store: typeof of.store) => Promise<void>) => {
    calls.length = 0;
    await step(of.store);
    // A run that goes on does not wait for its subscriptions to be woken.
    await new Promise(setImmediate);
    made.clock.now += 10_000;
    await made.send(of);
    const namespaces = /^(?:set|delete|compareAndSet|insertAll|transaction) [+-]?(?:webhooks|outbox|run-deliveries)/;
    return calls.filter((call) => namespaces.test(call)).length;
  };
  // Beside these, the record of the run is written once, to note that the outbox has been told.
  expect(await writes(story.wait)).toBe(5);
  expect(await writes(story.goOn)).toBe(5);
  expect(await writes(story.end)).toBe(7);
  expect(made.told()).toEqual(wholeStory);
});

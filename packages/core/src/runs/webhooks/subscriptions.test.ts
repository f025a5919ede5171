import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import { toldCalls } from "../../sessions/storage/test/told-calls.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { KeyVault } from "../record/key-vault.ts";
import { toDeliveryView } from "./delivery-record.ts";
import type { NotificationFormat } from "./notification-format.ts";
import { Subscriptions } from "./subscriptions.ts";
import { story, subscribe, toldBy, wholeStory } from "./test/run-story.ts";
import { attemptAll, deliveriesIn, plainForm, processOf, Receivers, running } from "./test/webhook-world.ts";

const url = "https://hooks.example.com/s3cret";

/** A process with a run that is performed, whose clock the test moves. */
async function world(form?: NotificationFormat) {
  const storage = new InMemoryStorage();
  const clock = { now: 1_000_000 };
  const receivers = new Receivers();
  const open = () => processOf(storage, { now: () => clock.now, fetch: receivers.fetch, form });
  const of = open();
  await of.store.insert(running("r1"));
  await story.begin(of.store);
  const send = async (by = of) => await attemptAll(by, clock.now);
  const rows = async () => (await deliveriesIn(storage)).map(toDeliveryView);
  return { storage, clock, receivers, of, open, send, rows, told: () => toldBy(receivers.received) };
}

/** Plays the run to its end, and sends after each transition. */
async function playAll({ of, clock, send }: Awaited<ReturnType<typeof world>>): Promise<void> {
  for (const step of [story.wait, story.goOn, story.end]) {
    await step(of.store);
    await new Promise(setImmediate);
    clock.now += 11_000;
    await send();
  }
}

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

describe("a notification of a subscription", () => {
  it("waits until the record of the run says what the log says [durable.subscriptions]", async () => {
    const made = await world();
    await subscribe(made.of, url);
    made.clock.now += 10_000;
    const end = { v: 1, entries: [{ t: "wait", wait: { id: "w", kind: "approval", about: null }, performedMs: 1 }] };
    await made.storage.set("run-log", "r1/000000000002", end);
    await made.send();
    expect(made.told()).toEqual(["attempt 1"]);
  });

  it("is sent again after a failure, in its place and with its id, over a restart [webhooks.retries] [durable.subscriptions-taken]", async () => {
    const made = await world();
    await subscribe(made.of, url);
    made.receivers.answer = () => 503;
    for (const step of [story.wait, story.goOn, story.end]) await step(made.of.store);
    made.clock.now += 10_000;
    await made.send();
    expect(made.told()).toEqual(["attempt 1"]);
    expect(await made.rows()).toMatchObject([{ status: "pending", problem: "status 503", attempts: 1 }]);
    // A transition of the run does not shorten the pause.
    made.clock.now += 9000;
    await made.send();
    expect(made.told()).toHaveLength(1);
    made.receivers.answer = () => 204;
    made.clock.now += 4000;
    await made.send(made.open());
    expect(made.told()).toEqual(["attempt 1", ...wholeStory]);
    const [first, second] = made.receivers.received.map(({ headers }) => headers["id"]);
    expect(second).toBe(first);
    expect(await made.rows()).toHaveLength(5);
  });

  it("goes on at once after a crash for a process that has the storage to itself, and else after the lease", async () => {
    const made = await world();
    await subscribe(made.of, url);
    made.clock.now += 10_000;
    const [entry] = await made.storage.list("outbox");
    const claimed = { token: "t", at: made.clock.now - 1, until: made.clock.now + 40_000 };
    const [stored] = await made.storage.list("webhooks");
    await made.storage.set("webhooks", stored?.key ?? "", {
      ...(stored?.value as object),
      attempts: 1,
      lease: claimed,
    });
    await made.send();
    expect([made.told(), entry === undefined]).toEqual([[], false]);
    const { now } = made.clock;
    const alone = processOf(made.storage, { now: () => now, fetch: made.receivers.fetch, aloneSince: now });
    await made.send(alone);
    expect(made.told()).toEqual(["attempt 1"]);
  });

  it("is given up after a day, or after the attempts of its form, and the next one follows [webhooks.retries]", async () => {
    const forms = {
      day: undefined,
      two: { ...plainForm, settings: { ...plainForm.settings, maxAttempts: 2, retryMs: 1 } },
    };
    for (const [name, form] of Object.entries(forms)) {
      const made = await world(form);
      await subscribe(made.of, url);
      await story.end(made.of.store);
      const sent = made.receivers.received;
      made.receivers.answer = () => (toldBy(sent).includes("output 1") ? 204 : 500);
      for (let hour = 0; hour < 30; hour++) {
        made.clock.now += 3_600_000;
        await made.send();
        made.clock.now += 1_000_000;
      }
      const told = made.told();
      const first = told.filter((each) => each === "attempt 1").length;
      expect([name, first >= 20, first === 2]).toEqual([name, name === "day", name === "two"]);
      expect(told.at(-1)).toBe("end 1");
      expect((await made.rows()).map(({ status }) => status)).toContain("failed");
      expect(made.of.lines.join("")).toContain("status 500");
    }
  });

  it.each([400, 403, 404, 307])("is not repeated once it is refused with %s: the next one follows", async (status) => {
    const made = await world();
    await subscribe(made.of, url);
    await story.end(made.of.store);
    made.receivers.answer = () => (made.receivers.received.length === 0 ? status : 204);
    made.clock.now += 10_000;
    await made.send();
    expect(made.told()).toEqual(["attempt 1", "output 1", "end 1"]);
    expect(made.of.lines.join("")).not.toContain("s3cret");
  });

  it.each([408, 425, 429])("a notification that is answered with %s is sent again", async (status) => {
    const made = await world();
    await subscribe(made.of, url);
    made.receivers.answer = () => status;
    made.clock.now += 10_000;
    await made.send();
    expect(await made.rows()).toMatchObject([{ status: "pending", problem: `status ${status}` }]);
  });

  it("is the last one where the receiver answers 410, also when the run goes on [webhooks.disabled]", async () => {
    const made = await world();
    await subscribe(made.of, url);
    made.receivers.answer = () => 410;
    made.clock.now += 10_000;
    await made.send();
    await playAll(made);
    expect(made.told()).toEqual(["attempt 1"]);
    expect(await made.rows()).toMatchObject([{ status: "disabled" }]);
    expect(await made.of.subscriptions.list("r1", "host")).toHaveLength(1);
  });

  it("is not sent to an address that is private, whatever another process has stored [webhooks.private]", async () => {
    const made = await world();
    await subscribe(made.of, "https://10.0.0.1/");
    made.clock.now += 10_000;
    await made.send();
    expect(made.told()).toEqual([]);
    expect(await made.rows()).toMatchObject([{ status: "failed", problem: "private_address" }]);
  });

  it("is left to a process that knows its form, for a day", async () => {
    const made = await world();
    await subscribe(made.of, url);
    const [{ key, value } = { key: "", value: null }] = await made.storage.list("outbox");
    await made.storage.delete("outbox", key);
    await made.storage.set("outbox", key, { ...(value as object), form: "other" });
    made.clock.now += 10_000;
    await made.send();
    expect(await made.storage.list("outbox")).toHaveLength(1);
    made.clock.now += 86_400_000;
    await made.send();
    expect(await made.storage.list("outbox")).toEqual([]);
    expect(made.told()).toEqual([]);
  });

  it("is of the run's end alone once its log is gone, and then nothing follows", async () => {
    const made = await world();
    await subscribe(made.of, url);
    await story.end(made.of.store);
    for (const { key } of await made.storage.list("run-log")) await made.storage.delete("run-log", key);
    made.clock.now += 10_000;
    await made.send();
    expect(made.told()).toEqual(["output 1", "end 1"]);
    expect(await made.storage.list("outbox")).toEqual([]);
  });
});

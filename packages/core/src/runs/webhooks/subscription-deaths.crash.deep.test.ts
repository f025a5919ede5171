import { describe, expect, inject, it } from "vitest";
import { atEachDeath } from "../../sessions/storage/test/each-death.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { isEnded } from "../record/run-record.ts";
import { runDrivers } from "../record/test/run-drivers.ts";
import { RunWriteRecorder } from "../../testing/run-write-recorder.ts";
import { story, subscribe, toldBy, wholeStory } from "./test/run-story.ts";
import { attemptAll, deliveriesIn, processOf, Receivers, running } from "./test/webhook-world.ts";

const isDeep = inject("trials") === "many";
/** The share of the calls at which a process dies. */
const oneIn = isDeep ? 1 : 4;
const drivers = isDeep ? runDrivers : runDrivers.filter((_, index) => index % 2 === 0);
const url = "https://hooks.example.com/";

/** Processes after each other, over one storage, and a receiver whose first answer is a failure. */
class World {
  receivers = new Receivers();
  recorder = new RunWriteRecorder(["end", "wait", "answer"]);
  now = 1_000_000;

  open(driver: StorageDriver): ReturnType<typeof processOf> {
    return processOf(driver, { now: () => this.now, fetch: (...given) => this.receivers.fetch(...given) });
  }

  async create(create: () => StorageDriver): Promise<StorageDriver> {
    this.now = 1_000_000;
    this.receivers = new Receivers();
    this.receivers.answer = () => (this.receivers.received.length === 0 ? 503 : 204);
    this.recorder = new RunWriteRecorder(["end", "wait", "answer"]);
    const driver = this.recorder.watch(create());
    await this.open(driver).store.insert(running("r1"));
    this.recorder.violations.length = 0;
    return driver;
  }

  /** Sends what is due, three times, with a pause in which a failed notification is due again. */
  async send(of: ReturnType<typeof processOf>): Promise<void> {
    for (let round = 0; round < 3; round++, this.now += 60_000) await attemptAll(of, this.now);
  }
}

/** The behaviour of another process after a crash: it waits for the lease of the dead process, or looks at once. */
const looks = [
  ["once its lease is over", async () => {}],
  ["at once", async (world: World, driver: StorageDriver) => await attemptAll(world.open(driver), world.now)],
] as const;

describe.each(drivers)("a subscription and a crash at any call, over storage with %s", (_offer, create) => {
  it("is notified of all, in order, and twice of nothing but what a dead process has sent [webhooks.no-loss]", async () => {
    const world = new World();
    let isSubscribed = false;
    let crashes = 0;
    await atEachDeath(
      {
        create: async () => {
          [isSubscribed, crashes] = [false, 0];
          const driver = await world.create(create);
          await story.begin(world.open(driver).store);
          return driver;
        },
        act: async (driver) => {
          const of = world.open(driver);
          if (!isSubscribed) await subscribe(of, url);
          isSubscribed = true;
          await world.send(of);
          for (const step of [story.wait, story.goOn, story.end]) {
            const record = await of.store.read("r1");
            if (record !== null && isEnded(record.status)) await of.store.settle(record);
            else await step(of.store);
          }
          await of.store.flush();
          await world.send(of);
        },
        // A lease of a process that died is over.
        expire: async () => {
          crashes += 1;
          world.now += 120_000;
        },
        left: async (driver) => {
          const [stored] = await driver.list("webhooks");
          const entries = (await driver.list("outbox")).map(({ value }) => (value as { delivery: string }).delivery);
          const run = await world.open(driver).store.readStored("r1");
          const isOver = (stored?.value as { isOver?: boolean } | undefined)?.isOver === true;
          // What is not told yet is in the outbox, or the record of an open run will put it there.
          const isKept =
            stored === undefined || isOver || entries.includes(stored.key) || !isLost(run?.wakes, run?.status);
          expect(isKept).toBe(true);
        },
        done: async (driver) => {
          const told = toldBy(world.receivers.received);
          const firsts = told.filter((each, index) => told.indexOf(each) === index);
          expect(firsts).toEqual(wholeStory);
          // In the order of the run: a repetition follows what it repeats.
          const places = told.map((each) => wholeStory.indexOf(each));
          expect(places).toEqual(places.toSorted((one, other) => one - other));
          // One repetition for the failure, and one at most for each crash between a request and the write of its position.
          expect(told.length).toBeLessThanOrEqual(wholeStory.length + 1 + crashes);
          expect(await driver.list("outbox")).toEqual([]);
          const ids = new Set(world.receivers.received.map(({ headers }) => headers["id"]));
          expect(ids.size).toBe(wholeStory.length);
          expect((await world.open(driver).store.readStored("r1"))?.wakes).toBeUndefined();
          expect(world.recorder.violations).toEqual([]);
        },
      },
      isDeep ? "near" : "none",
      oneIn,
    );
  });

  it.each(looks)(
    "is notified of all of a run that is over, after a failure too, if another process looks %s [webhooks.no-loss]",
    async (_when, look) => {
      const world = new World();
      await atEachDeath(
        {
          create: async () => {
            const driver = await world.create(create);
            const of = world.open(driver);
            await story.begin(of.store);
            await subscribe(of, url);
            for (const step of [story.wait, story.goOn, story.end]) await step(of.store);
            await of.store.flush();
            // Every entry of the outbox is due, that of the new subscription too: none is left if a look drops them.
            world.now += 20_000;
            return driver;
          },
          act: async (driver) => await world.send(world.open(driver)),
          expire: async (driver) => {
            await look(world, driver);
            world.now += 120_000;
          },
          left: async (driver) => {
            const [stored] = await driver.list("webhooks");
            const entries = (await driver.list("outbox")).map(({ value }) => (value as { delivery: string }).delivery);
            const isOver = (stored?.value as { isOver?: boolean } | undefined)?.isOver === true;
            expect(isOver || entries.includes(stored?.key ?? "")).toBe(true);
          },
          done: async (driver) => {
            const told = toldBy(world.receivers.received);
            expect(told.filter((each, index) => told.indexOf(each) === index)).toEqual(wholeStory);
            expect(await driver.list("outbox")).toEqual([]);
          },
        },
        isDeep ? "near" : "none",
        oneIn,
      );
    },
  );

  it("leaves nothing of a run that is removed while it is notified", async () => {
    const world = new World();
    await atEachDeath(
      {
        create: async () => {
          const driver = await world.create(create);
          const of = world.open(driver);
          await story.begin(of.store);
          await subscribe(of, url);
          return driver;
        },
        act: async (driver) => {
          const of = world.open(driver);
          await story.end(of.store);
          await world.send(of);
          const record = await of.store.read("r1");
          if (record !== null) await of.store.lists.remove(record);
        },
        expire: async () => void (world.now += 120_000),
        left: async () => undefined,
        done: async (driver) => {
          await world.send(world.open(driver));
          for (const namespace of ["webhooks", "outbox"]) expect(await driver.list(namespace)).toEqual([]);
          expect(await deliveriesIn(driver)).toEqual([]);
        },
      },
      isDeep ? "near" : "none",
      oneIn,
    );
  });
});

/** True for a run that has told its subscriptions of its last transition: then nothing would wake them any more. */
function isLost(wakes: string | undefined, status: string | undefined): boolean {
  return wakes === undefined && status !== "running" && status !== "queued" && status !== "waiting";
}

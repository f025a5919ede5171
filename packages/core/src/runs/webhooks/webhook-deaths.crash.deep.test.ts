import { describe, expect, inject, it } from "vitest";
import { atEachDeath } from "../../sessions/storage/test/each-death.ts";
import type { DeathScene, SecondDeaths } from "../../sessions/storage/test/each-death.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord } from "../record/run-record.ts";
import { runDrivers } from "../record/test/run-drivers.ts";
import { RunWriteRecorder } from "../../testing/run-write-recorder.ts";
import { attemptAll, deliveriesIn, processOf, Receivers, running, secretOf, settingsOf } from "./test/webhook-world.ts";

const isDeep = inject("trials") === "many";
/** The share of the calls at which a process dies. */
const oneIn = isDeep ? 1 : 4;
const drivers = isDeep ? runDrivers : runDrivers.filter((_, index) => index % 2 === 0);
const [url, other] = ["https://one.example.com/", "https://two.example.com/"];
const settings = settingsOf([
  { url, secrets: [secretOf("a")] },
  { url: other, secrets: [secretOf("b")], events: ["run.completed", "run.failed"] },
]);
const own = { url: "https://own.example.com/", secret: secretOf("c") };
const wait = { id: "t.0", kind: "approval", about: { args: "Größe" } } as const;

/** Three processes after each other, over one storage, whose receivers answer at once or only from the second time on. */
function scene(create: () => StorageDriver, act: (of: Of) => Promise<unknown>, expected: readonly string[]) {
  let now = 0;
  let receivers = new Receivers();
  let recorder = new RunWriteRecorder();
  const asked = new Map<string, number>();
  const open = (driver: StorageDriver) => processOf(driver, { settings, now: () => now, fetch: receivers.fetch });
  return {
    create: async () => {
      now = 1_000_000;
      receivers = new Receivers();
      asked.clear();
      receivers.answer = (at) => {
        asked.set(at, (asked.get(at) ?? 0) + 1);
        return at === url && asked.get(at) === 1 ? 503 : 204;
      };
      recorder = new RunWriteRecorder(["end", "wait", "answer"]);
      const driver = recorder.watch(create());
      const { store, stored } = open(driver);
      const record = running("r1", { webhook: "own" });
      await stored.add({ runId: "r1", owner: "-/ada" as never }, own);
      await store.insert(record);
      recorder.violations.length = 0;
      return driver;
    },
    act: async (driver: StorageDriver) => {
      const of = open(driver);
      await act(of);
      // What the sweep does with an open run that is over or waits.
      const record = await of.store.read("r1");
      if (record !== null && isEnded(record.status)) await of.store.settle(record);
      else if (record?.status === "waiting") await of.store.notify(record);
      await of.store.flush();
      // Longer than the pause after three attempts, two of which other processes have begun.
      for (let round = 0; round < 3; round++, now += 600_000) await attemptAll(of, now);
    },
    // A lease of a process that died is over.
    expire: async () => void (now += 120_000),
    left: async (driver: StorageDriver) => {
      const run = await open(driver).store.read("r1");
      const isOver = run !== null && run.status !== "running";
      expect(isOver ? await lostIn(driver, run, expected.length) : []).toEqual([]);
    },
    done: async (driver: StorageDriver) => {
      const ids = receivers.received.map(({ headers, url: at }) => `${at} ${headers["webhook-id"]}`);
      const places = [...new Set(ids)].map((id) => id.slice(0, id.indexOf(" ")));
      expect(places.toSorted()).toEqual([...expected].toSorted());
      expect((await deliveriesIn(driver)).map(({ status }) => status)).toEqual(expected.map(() => "delivered"));
      expect(await driver.list("outbox")).toEqual([]);
      expect((await open(driver).store.read("r1"))?.notices).toBeUndefined();
      expect(recorder.violations).toEqual([]);
    },
  };
}

type Of = ReturnType<typeof processOf>;

/** Returns what is lost: an event must be noted in an open run, or each of its deliveries be there and in the outbox. */
async function lostIn(driver: StorageDriver, run: RunRecord, count: number): Promise<string[]> {
  const isOpen = (await driver.get("run-open", "r1")) !== null;
  if (run.notices !== undefined) return isOpen ? [] : ["the run with its notices is not among the open runs"];
  const deliveries = await driver.list("run-deliveries");
  const entries = (await driver.list("outbox")).map(({ value }) => (value as { delivery: string }).delivery);
  const pending = deliveries.filter(({ value }) => statusOf(value) === "pending").map(({ key }) => key);
  const lost = pending.filter((key) => !entries.includes(key));
  return deliveries.length === count ? lost : [...lost, "a delivery is missing"];
}

function statusOf(value: unknown): unknown {
  return (value as { status?: unknown }).status;
}

describe.each(drivers)("the webhooks of a run and a crash at any call, over storage with %s", (_offer, create) => {
  const expectAtEach = async (made: DeathScene, seconds: SecondDeaths) => await atEachDeath(made, seconds, oneIn);

  it("report the end to each receiver by one id, however often the processes die [webhooks.no-loss]", async () => {
    const act = async ({ store }: Of) => await store.finish("r1", { status: "completed", output: "é" });
    await expectAtEach(scene(create, act, [url, other, own.url]), isDeep ? "all" : "none");
  });

  it("report a wait to each receiver that wants it by one id [webhooks.no-loss]", async () => {
    const act = async ({ store }: Of) => {
      const current = await store.read("r1");
      if (current?.status === "running") await store.suspend({ runId: "r1", attempts: 1 }, [wait]);
    };
    await expectAtEach(scene(create, act, [url, own.url]), isDeep ? "all" : "none");
  });

  it("leave nothing of a run that is removed while they are on their way", async () => {
    let now = 1_000_000;
    const receivers = new Receivers();
    await atEachDeath(
      {
        create: async () => {
          now = 1_000_000;
          const driver = create();
          const { store, stored } = processOf(driver, { settings, now: () => now, fetch: receivers.fetch });
          await stored.add({ runId: "r1", owner: "-/ada" as never }, own);
          await store.insert(running("r1", { webhook: "own" }));
          return driver;
        },
        act: async (driver) => {
          const of = processOf(driver, { settings, now: () => now, fetch: receivers.fetch });
          await of.store.finish("r1", { status: "completed" });
          const record = await of.store.read("r1");
          if (record !== null) await of.store.lists.remove(record);
        },
        expire: async () => void (now += 120_000),
        left: async () => undefined,
        done: async (driver) => {
          const of = processOf(driver, { settings, now: () => now, fetch: receivers.fetch });
          await attemptAll(of, now);
          for (const namespace of ["run-deliveries", "webhooks", "outbox"]) {
            expect(await driver.list(namespace)).toEqual([]);
          }
          expect(receivers.received).toEqual([]);
        },
      },
      isDeep ? "near" : "none",
      oneIn,
    );
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { sessionKey } from "../../sessions/session/session-keys.ts";
import { turnNamed, withSession } from "../../sessions/session/test/turns.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { runDrivers } from "../record/test/run-drivers.ts";
import { RunWriteRecorder } from "../../testing/run-write-recorder.ts";
import { keysOf } from "../record/test/run-deaths.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { atEachDeath } from "../../sessions/storage/test/each-death.ts";
import type { DeathScene } from "../../sessions/storage/test/each-death.ts";
import { RunService } from "./run-service.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { request } from "./test/services.ts";

const owner = { userId: "ada" };
const runId = "5b1e9f3c-0000-4000-8000-000000000009";
const asked = { ...request, runId, owner, options: { sessionId: "s" } };
const url = "https://example.org";
const subscription = { id: "one", form: "f", url, data: { url }, fromStart: true, most: 2 };
const sealKeys = ["a key to seal with, of 32 characters"];

const faked = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] as const;

beforeEach(() => void vi.useFakeTimers({ toFake: [...faked] }));
afterEach(() => void vi.useRealTimers());

/** Lets time pass until work is done. */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const state = { isDone: false };
  const end = () => void (state.isDone = true);
  work.then(end, end);
  while (!state.isDone) {
    await new Promise((resolve) => void setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(25);
  }
  return await work;
}

/** Does work with a service that performs no runs, and closes it. */
async function withService(driver: StorageDriver, work: (service: RunService) => Promise<unknown>): Promise<void> {
  const service = new RunService({ agents: { a: askingRunnable() }, storage: driver, sealKeys });
  try {
    await inTime(work(service));
  } finally {
    await inTime(service.close());
  }
}

/** Performs runs until they wait or are over, as a process does that comes later. */
async function perform(driver: StorageDriver): Promise<void> {
  await withService(driver, async (service) => {
    await service.serve();
    for (;;) {
      const open = await driver.list("run-open");
      const { status } = await service.get(runId, "host").catch(() => ({ status: "gone" }));
      if (status === "gone" || (open.length === 0 && status !== "queued" && status !== "running")) return;
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  });
}

/** Returns the status of the run as its owner sees it. */
async function statusOf(driver: StorageDriver): Promise<unknown> {
  let status: unknown;
  await withService(driver, async (service) => {
    status = (await service.get(runId, owner).catch(ifCode("not_found")))?.status;
  });
  return status;
}

async function accept(driver: StorageDriver): Promise<void> {
  await withService(driver, async (service) => await service.accept(asked).catch(ifCode("conflict")));
}

async function acceptWaiting(driver: StorageDriver): Promise<void> {
  await accept(driver);
  await perform(driver);
  expect(await statusOf(driver)).toBe("waiting");
  expect(await driver.list("run-open")).toEqual([]);
}

function ifCode(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!TroupeError.is(error) || error.code !== code) throw error;
  };
}

async function endsOf(driver: StorageDriver): Promise<number> {
  return JSON.stringify(await driver.list("run-log")).split('"t":"end"').length - 1;
}

/** Checks that a run that others have told something, or that is to go on, is on the list of open runs, and has one end at most. */
async function expectToGoOn(driver: StorageDriver): Promise<void> {
  const status = await statusOf(driver);
  const inbox = await driver.list("run-inbox");
  const mustGoOn = status === "queued" || status === "running" || (status === "waiting" && inbox.length > 0);
  const open = (await driver.list("run-open")).map(({ key }) => key);
  expect(open).toEqual(mustGoOn ? [runId] : open);
  expect(await endsOf(driver)).toBeLessThanOrEqual(1);
}

async function waitsOf(driver: StorageDriver): Promise<string[]> {
  const log = JSON.stringify(await driver.list("run-log"));
  return [...log.matchAll(/"wait":\{"id":"([^"]*)"/g)].map(([, id = ""]) => id);
}

/** Returns the ids of the subscriptions to the run. */
async function subscriptionsOf(driver: StorageDriver): Promise<string[]> {
  const ids: string[] = [];
  await withService(driver, async ({ webhooks }) => {
    ids.push(...(await webhooks.subscriptions.list(runId, owner)).map(({ id }) => id));
  });
  return ids;
}

/** Checks that nothing is left of the run, once the lists were read, but what its age removes. */
async function expectNothing(driver: StorageDriver): Promise<void> {
  await withService(driver, async (service) => {
    for (const caller of ["host", owner] as const) expect((await service.list(caller)).runs).toEqual([]);
  });
  expect((await keysOf(driver, runId)).filter((key) => !key.includes("#ended"))).toEqual([]);
}

type Scene = Partial<Pick<DeathScene, "expire">> &
  Pick<DeathScene, "act" | "done"> & { seed: DeathScene["act"]; left?: DeathScene["left"] };

describe.each(runDrivers)(
  "a durable run and a crash at any call of a request for it, over storage with %s",
  (_, create) => {
    async function expectAtEach({ seed, left = expectToGoOn, ...scene }: Scene): Promise<void> {
      let recorder = new RunWriteRecorder();
      const createSeeded = async () => {
        recorder = new RunWriteRecorder();
        const driver = recorder.watch(create());
        await seed(driver);
        return driver;
      };
      const done = async (driver: StorageDriver): Promise<void> => {
        await scene.done(driver);
        expect(recorder.violations).toEqual([]);
      };
      await atEachDeath({ ...scene, create: createSeeded, left, done }, "none");
    }

    it.each([
      ["that is queued", accept],
      ["that waits", acceptWaiting],
    ])(
      "ends as cancelled once, if one %s is cancelled again or goes on [durable.crash-points]",
      async (_what, seed) => {
        for (const last of ["cancel", "perform"] as const) {
          await expectAtEach({
            seed,
            act: async (driver) => await withService(driver, async (service) => await service.cancel(runId, owner)),
            done: async (driver) => {
              await expectToGoOn(driver);
              if (last === "perform") await perform(driver);
              expect(await statusOf(driver)).toBe("cancelled");
              expect(await endsOf(driver)).toBe(1);
            },
          });
        }
      },
    );

    it("goes on after its answer once that is given again, or at once if it is stored [durable.crash-points]", async () => {
      for (const last of ["answer", "perform"] as const) {
        let isFirst = true;
        await expectAtEach({
          seed: async (driver) => {
            isFirst = true;
            await acceptWaiting(driver);
          },
          act: async (driver) => {
            if (last === "perform" && !isFirst) return await perform(driver);
            isFirst = false;
            await withService(driver, async (service) => {
              const [wait] = await waitsOf(driver);
              await service.answer(runId, wait ?? "", { approved: true }, owner);
            });
          },
          done: async (driver) => {
            await expectToGoOn(driver);
            await perform(driver);
            const isAnswered = last === "answer" || (await driver.list("run-inbox")).length > 0;
            expect(await statusOf(driver)).toBe(isAnswered ? "completed" : "waiting");
            expect(await endsOf(driver)).toBe(isAnswered ? 1 : 0);
          },
        });
      }
    });

    it.each([
      ["that is queued", accept],
      ["that waits", acceptWaiting],
    ])("is removed whole, if one %s is deleted again [durable.crash-points]", async (_what, seed) => {
      await expectAtEach({
        seed: async (driver) => {
          await seed(driver);
          await withService(
            driver,
            async ({ webhooks }) => await webhooks.subscriptions.put(runId, owner, subscription),
          );
        },
        act: async (driver) =>
          await withService(driver, async (service) => await service.delete(runId, owner).catch(ifCode("not_found"))),
        done: expectNothing,
      });
    });

    it.each([
      ["session", async (store: SessionStore) => await store.deleteSession("s", { owner }).catch(ifCode("not_found"))],
      ["user", async (store: SessionStore) => await store.deleteUser("ada")],
    ])("goes with its %s, whose removal is repeated until then [durable.crash-points]", async (_what, remove) => {
      await expectAtEach({
        seed: async (driver) => {
          await withSession(new SessionStore(driver), (session) => session.appendTurn(turnNamed("a")), { owner });
          await acceptWaiting(driver);
        },
        act: async (driver) =>
          await withService(driver, async (service) => {
            const store = new SessionStore(driver);
            store.addListener({
              forgetSession: async (sessionId, of) => await service.forgetSession(sessionId, of),
              forgetUser: async (of) => await service.forgetUser(of),
            });
            await remove(store);
          }),
        expire: async (driver) => await driver.delete("locks", sessionKey(owner, "s")),
        done: async (driver) => {
          await expectNothing(driver);
          expect(await driver.list("turns")).toEqual([]);
          expect(await driver.list("sessions")).toEqual([]);
        },
      });
    });

    it("has its subscription once it is told of, which goes with it [durable.crash-points]", async () => {
      for (const last of ["put", "delete"] as const) {
        let [told, isFirst] = [false, true];
        await expectAtEach({
          seed: async (driver) => {
            [told, isFirst] = [false, true];
            await acceptWaiting(driver);
          },
          act: async (driver) => {
            const isPut = last === "put" || isFirst;
            isFirst = false;
            await withService(driver, async (service) => {
              if (!isPut) return await service.delete(runId, owner);
              await service.webhooks.subscriptions.put(runId, owner, subscription);
              told = true;
            });
          },
          left: async (driver) => {
            const listed = await subscriptionsOf(driver);
            expect(listed).toEqual(told ? ["one"] : listed);
          },
          done: async (driver) => {
            if (last === "delete") return await expectNothing(driver);
            expect(await subscriptionsOf(driver)).toEqual(["one"]);
            // The outbox looks at it.
            const entries = (await driver.list("outbox")).map(({ value }) => readProperty(value, "delivery"));
            expect(entries).toContain(`#run/${runId}/one`);
          },
        });
      }
    });
  },
);

import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { attemptAll, deliveriesIn, processOf, Receivers, running, secretOf, settingsOf } from "./test/webhook-world.ts";

const settings = settingsOf([{ url: "https://one.example.com/", secrets: [secretOf("a")] }]);

/** A process with one run, whose receiver is down, and the run's waits one after the other. */
async function world() {
  const storage = new InMemoryStorage();
  const receivers = new Receivers();
  receivers.answer = () => 503;
  let now = 1_000_000;
  const of = processOf(storage, { settings, now: () => now, fetch: receivers.fetch });
  await of.store.insert(running("ä1"));
  const wait = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++, now += 1) {
      const { attempts = 0 } = (await of.store.read("ä1")) ?? {};
      const waits = [{ id: `größe.${attempts}`, kind: "question", about: null }] as const;
      const waiting = await of.store.suspend({ runId: "ä1", attempts: attempts + 1 }, waits);
      if (waiting !== null) await of.store.notify(waiting);
      await of.store.wake("ä1");
    }
  };
  return { ...of, storage, receivers, wait, attempt: async () => await attemptAll(of, now), now: () => now };
}

it("RunNotices keeps two hundred deliveries of a run, and gives up the oldest beyond them, first those that are over", async () => {
  const { storage, receivers, wait, attempt } = await world();
  await wait(199);
  expect(await deliveriesIn(storage)).toHaveLength(199);
  receivers.answer = () => 204;
  await attempt();
  receivers.answer = () => 503;
  const [oldest] = await deliveriesIn(storage);
  await wait(1);
  expect(await deliveriesIn(storage)).toHaveLength(200);
  await wait(1);

  const kept = await deliveriesIn(storage);
  expect(kept).toHaveLength(200);
  expect(kept.map(({ id }) => id)).not.toContain(oldest?.id);
  expect(kept.filter(({ status }) => status === "pending")).toHaveLength(2);
});

it("RunNotices never sends a delivery that was given up for newer ones, and drops its entry in the outbox", async () => {
  const { storage, receivers, wait, attempt } = await world();
  await wait(201);
  receivers.answer = () => 204;
  await attempt();

  expect(receivers.received).toHaveLength(200);
  expect(await storage.list("outbox")).toEqual([]);
});

it("RunNotices gives a later run with the same id events of other ids", async () => {
  const { storage, store, now } = await world();
  const ids: string[] = [];
  for (const createdAt of [1, 2]) {
    await store.insert(running("r", { createdAt }));
    await store.finish("r", { status: "completed" });
    ids.push(...(await deliveriesIn(storage)).map(({ id }) => id));
    const record = await store.read("r");
    if (record !== null) await store.lists.remove(record);
  }

  expect(new Set(ids).size).toBe(2);
  expect(now()).toBe(1_000_000);
});

it("RunNotices delivers what another process has noted, also in a process with other webhooks or none", async () => {
  const { storage, store, receivers, now } = await world();
  const died = processOf(storage, { settings, now, fetch: receivers.fetch });
  const other = processOf(storage, { now, fetch: receivers.fetch });
  // The first process dies between the end of the run and its deliveries.
  died.store.notifier = store.notifier && {
    note: (next) => store.notifier?.note(next) ?? next,
    enqueue: async () => {},
  };
  await died.store.finish("ä1", { status: "completed" });
  expect(await deliveriesIn(storage)).toEqual([]);
  const record = await other.store.read("ä1");
  if (record !== null) await other.store.settle(record);

  expect(await deliveriesIn(storage)).toMatchObject([{ type: "run.completed", status: "pending" }]);
  // A process that does not know the webhook leaves its delivery to one that does.
  await attemptAll(other, now());
  expect(receivers.received).toEqual([]);
  receivers.answer = () => 204;
  await attemptAll(died, now());
  expect(await deliveriesIn(storage)).toMatchObject([{ status: "delivered", attempts: 1 }]);
});

import { expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import { deliveriesIn, Receivers, running, secretOf, settingsOf, verified, webhooksOf } from "./test/webhook-world.ts";
import type { Answer } from "./test/webhook-world.ts";

const minuteMs = 60_000;
const [down, healthy] = ["https://down.example.com/hook", "https://healthy.example.com/hook"];
const secret = secretOf("ä");

/** Begins the clock of the reference implementation at a time, and two processes that notify both receivers. */
function world() {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime("2026-11-29T12:00:00Z");
  const storage = new InMemoryStorage();
  const receivers = new Receivers();
  const settings = settingsOf([
    { url: down, secrets: [secret] },
    { url: healthy, secrets: [secret] },
  ]);
  const { fetch } = receivers;
  const make = () => {
    const of = webhooksOf(new SharedStorage(storage), { settings, now: Date.now, fetch });
    of.webhooks.start();
    onTestFinished(async () => await of.webhooks.stop(0));
    return of.store;
  };
  return { storage, receivers, stores: [make(), make()] as const };
}

it("a receiver that is down for an hour gets every event, once by its id, and delays no other receiver [webhooks.retries]", async () => {
  const { storage, receivers, stores } = world();
  const outages: Answer[] = [503, "unreachable", 500, { status: 429, retryAfter: "120" }, 302, 404];
  let isDown = true;
  let asked = 0;
  receivers.answer = (url) => (isDown && url === down ? (outages[asked++ % outages.length] ?? 503) : 204);

  for (let minute = 0; minute < 60; minute++) {
    const store = minute % 2 === 0 ? stores[0] : stores[1];
    await store.insert(running(`r${minute}`, { createdAt: Date.now() }));
    await store.finish(`r${minute}`, { status: minute % 3 === 0 ? "error" : "completed", output: "Secret." });
    await vi.advanceTimersByTimeAsync(minuteMs);
    // The healthy receiver is told within the minute.
    expect(receivers.at(healthy)).toHaveLength(minute + 1);
  }
  const before = receivers.received.length;
  isDown = false;
  for (let minute = 0; minute < 90; minute++) await vi.advanceTimersByTimeAsync(minuteMs);

  const taken = receivers.received.slice(before).filter(({ url }) => url === down);
  const ids = taken.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toHaveLength(60);
  expect(new Set(ids).size).toBe(60);
  const runs = taken.map(({ body }) => (JSON.parse(body) as { data: { runId: string } }).data.runId);
  expect(runs.toSorted()).toEqual(Array.from({ length: 60 }, (_, index) => `r${index}`).toSorted());
  expect((await deliveriesIn(storage)).map(({ status }) => status)).toEqual(Array(120).fill("delivered"));
  expect(await storage.list("outbox")).toEqual([]);
});

it("the reference implementation verifies each request at the time of its attempt, and the body never changes [webhooks.signature]", async () => {
  const { receivers } = world();
  let attempts = 0;
  const wrong: unknown[] = [];
  const { fetch } = receivers;
  const seen = new Map<string, string>();
  receivers.answer = (url) => (url === down && ++attempts < 6 ? 503 : 200);
  const check = async (...given: Parameters<typeof fetch>) => {
    const [url, { headers = {}, body = "" } = {}] = given;
    try {
      verified({ headers, body: String(body) }, secret);
      const key = `${String(url)} ${headers["webhook-id"]}`;
      if ((seen.get(key) ?? body) !== body) wrong.push("another body");
      seen.set(key, String(body));
    } catch (error) {
      wrong.push(error);
    }
    return await fetch(...given);
  };
  const settings = settingsOf([{ url: down, secrets: [secret] }]);
  const of = webhooksOf(new InMemoryStorage(), { settings, now: Date.now, fetch: check });
  of.webhooks.start();
  onTestFinished(async () => await of.webhooks.stop(0));

  await of.store.insert(running("é1"));
  await of.store.finish("é1", { status: "error", error: { code: "internal", message: "Größe ✗" } });
  await vi.advanceTimersByTimeAsync(30 * minuteMs);

  expect(wrong).toEqual([]);
  expect(receivers.received).toHaveLength(6);
  expect(seen.size).toBe(1);
  const [first, last] = [receivers.received[0], receivers.received[5]];
  expect(first?.headers["webhook-id"]).toBe(last?.headers["webhook-id"]);
  expect(first?.headers["webhook-timestamp"]).not.toBe(last?.headers["webhook-timestamp"]);
});

it("a receiver that stays down is tried for a day, with growing pauses of at most an hour and a quarter", async () => {
  const { receivers, stores, storage } = world();
  const times: number[] = [];
  receivers.answer = (url) => {
    if (url === down) times.push(Date.now());
    return url === down ? "unreachable" : 204;
  };
  const [store] = stores;
  const begun = Date.now();
  await store.insert(running("r1"));
  await store.finish("r1", { status: "completed" });
  for (let minute = 0; minute < 25 * 60; minute += 10) await vi.advanceTimersByTimeAsync(10 * minuteMs);

  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(pauses[0]).toBeLessThanOrEqual(10_000 * 1.25 + 10_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(60 * minuteMs * 1.25 + 10_000);
  expect((times.at(-1) ?? 0) - begun).toBeGreaterThanOrEqual(24 * 60 * minuteMs);
  expect(times.length).toBeGreaterThan(25);
  expect((await deliveriesIn(storage)).map(({ status, problem }) => [status, problem])).toContainEqual([
    "failed",
    "unreachable",
  ]);
  expect(await storage.list("outbox")).toEqual([]);
});

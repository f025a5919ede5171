import { describe, expect, it } from "vitest";
import { story, subscribe, toldBy, wholeStory } from "./test/run-story.ts";
import { plainForm, processOf } from "./test/webhook-world.ts";
import { playAll, world } from "./test/subscription-world.ts";

const url = "https://hooks.example.com/s3cret";

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

import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { readSubscription, readSubscriptionKey, removeSubscriptions, subscriptionKeys } from "./run-parts.ts";

const record = { v: 1, node: "n", data: "sealed", createdAt: 4, sent: 0, attempt: 1 };

describe("the keys of subscriptions", () => {
  it("lie under their state and their run", () => {
    expect([subscriptionKeys.open, subscriptionKeys.over]).toEqual(["open/", "over/"]);
    expect(subscriptionKeys.ofRun("over", "r/1")).toBe("over/r%2F1/");
    expect(subscriptionKeys.of("open", "r/1", "é")).toBe("open/r%2F1/%C3%A9");
  });

  it.each([
    ["open/r%2F1/%C3%A9", { runId: "r/1", id: "é" }],
    ["over/r1/a", { runId: "r1", id: "a" }],
    ["open", { runId: "", id: "" }],
  ])("tell the run and the id: %s", (key, parts) => {
    expect(readSubscriptionKey(key)).toEqual(parts);
  });
});

describe("a stored subscription", () => {
  it.each([{}, { after: "1.0" }, { after: "", sent: 3, later: true }])("is read as it is with %j", (more) => {
    const stored = { ...record, ...more };
    expect(readSubscription(stored, "open/r1/a")).toBe(stored);
  });

  it.each([
    { v: 0 },
    { v: 2 },
    { node: undefined },
    { data: { secret: 1 } },
    { after: 1 },
    { after: null },
    { sent: -1 },
    { sent: 0.5 },
    { sent: undefined },
    { attempt: "1" },
    { attempt: -1 },
  ])("is refused with %j, by its key", (change) => {
    const read = () => readSubscription(JSON.parse(JSON.stringify({ ...record, ...change })) as Json, "open/r1/a");
    const fields = expect.objectContaining({ namespace: "run-subscriptions", key: "open/r1/a" });
    expect(read).toThrow(expect.objectContaining({ code: "storage_corrupt", fields }));
  });
});

it("removeSubscriptions removes those of one run, of both states", async () => {
  const storage = new InMemoryStorage();
  const kept = ["open/r10/a", "over/r2/b"];
  for (const key of [...kept, "open/r1/a", "open/r1/b", "over/r1/c"])
    await storage.set("run-subscriptions", key, record);
  await removeSubscriptions(storage, "r1");
  expect((await storage.list("run-subscriptions")).map(({ key }) => key)).toEqual(kept);
});

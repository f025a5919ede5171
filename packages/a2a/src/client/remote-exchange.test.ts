import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { begin, dropped, endpointOf, rpc, said, sent, status, task, usersSetting } from "../../test/fake-endpoint.ts";
import type { RemoteEvent } from "./read-reply.ts";
import { RemoteFailure } from "./remote-failure.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe("the message of an exchange", () => {
  it("goes to its place with the user's headers, and the endpoint that took it is noted once", async () => {
    const far = endpointOf(() => said());
    const place = { contextId: "c", taskId: "t" };
    const { events, noted } = begin({ context: place, outputModes: ["text/plain"] }, far);

    expect(await Array.fromAsync(events)).toEqual([said()]);
    const call = { op: "send", message: { ...sent, ...place }, outputModes: ["text/plain"] };
    expect(far.made).toEqual([{ call, setting: usersSetting, timeoutMs: undefined, at: 0 }]);
    expect(noted).toEqual([far.endpoint]);
  });

  it("is tried as a stream first, then at the next endpoint, and the first refusal is told", async () => {
    const calls: string[] = [];
    const refusing = (name: string, failures: RemoteFailure[], streams: boolean) =>
      endpointOf(({ op }, index) => {
        calls.push(`${name} ${op}`);
        return failures[index] ?? said();
      }, streams);
    const untrusted = new RemoteFailure("untrusted", { happened: "is elsewhere" });
    const one = refusing("one", [rpc(-32004), rpc(-32601)], true);
    const { events, noted } = begin(
      {},
      one,
      refusing("two", [untrusted], false),
      refusing("three", [rpc(-32009)], false),
    );

    await expect(events.next()).rejects.toMatchObject({ rpcCode: -32004 });
    expect(calls).toEqual(["one stream", "one send", "two send", "three send"]);
    expect(noted).toEqual([]);
  });

  it.each([rpc(-32004), rpc(-32603), dropped(), new TypeError("broken")])(
    "is sent nowhere else after a failure that says nothing of the method: %s",
    async (failure) => {
      const [one, two] = [endpointOf(() => failure), endpointOf(() => said())];
      await expect(begin({}, one, two).events.next()).rejects.toBe(failure);
      expect([one.ops(), two.ops()]).toEqual([["send"], []]);
    },
  );

  it.each([
    { streams: true, replies: [], sentence: "ended the stream before its first event" },
    { streams: true, replies: [task("working", { id: "" })], sentence: "ended the stream before the end of its task" },
    { streams: false, replies: [task("working", { id: "" })], sentence: "sent a task without an id" },
  ])("fails: $sentence", async ({ streams, replies, sentence }) => {
    const far = endpointOf(() => replies, streams);
    await expect(Array.fromAsync(begin({}, far).events)).rejects.toMatchObject({ kind: "form", happened: sentence });
    expect(far.made).toHaveLength(1);
  });

  it("fails without an endpoint", async () => {
    const happened = "names no endpoint that can be called";
    await expect(begin({}).events.next()).rejects.toMatchObject({ kind: "form", happened });
  });

  const both = { contextId: "c", taskId: "t" };
  it.each([
    { code: -32001, from: both, places: [both, { contextId: "c" }, {}] },
    { code: -32602, from: both, places: [both, { contextId: "c" }, {}] },
    { code: -32004, from: both, places: [both, { contextId: "c" }] },
    { code: -32001, from: { taskId: "t" }, places: [{ taskId: "t" }, {}] },
    { code: -32001, from: { contextId: "c" }, places: [{ contextId: "c" }, {}] },
    { code: -32004, from: { contextId: "c" }, places: [{ contextId: "c" }] },
    { code: -32602, from: {}, places: [{}] },
    { code: -32002, from: both, places: [both] },
    { code: -32600, from: both, places: [both] },
  ])("refused with $code in $from is sent to $places, and to no other place", async ({ code, from, places }) => {
    const far = endpointOf(() => rpc(code));
    await expect(begin({ context: from }, far).events.next()).rejects.toMatchObject({ rpcCode: code });
    expect(far.made.map(({ call }) => call)).toEqual(
      places.map((place) => ({ op: "send", message: { ...sent, ...place } })),
    );
  });
});

describe("the place of a session after an exchange", () => {
  const from = { contextId: "c-0", taskId: "t-0" };
  it.each<[string, RemoteEvent, object]>([
    ["a task that is over", task("completed"), { contextId: "c-1" }],
    ["a task that asks", task("input-required"), { contextId: "c-1", taskId: "t-1" }],
    ["a task without a context", task("rejected", { contextId: "" }), { contextId: "c-0" }],
    ["a message", said(), { contextId: "c-0" }],
    ["a message that names its place", said({ contextId: "c-2", taskId: "t-2" }), { contextId: "c-2" }],
    [
      "a status that asks",
      status("input-required", { taskId: "t-3", contextId: "" }),
      { contextId: "c-0", taskId: "t-3" },
    ],
  ])("is what its last event says: %s", async (_what, event, place) => {
    const { exchange, events } = begin(
      { context: from },
      endpointOf(() => event),
    );
    expect(exchange.context).toBe(from);
    await Array.fromAsync(events);
    expect(exchange.context).toEqual(place);
  });
});

describe("the stream of a task", () => {
  it("is left at the status that settles the task, and has updates without ids, but none of other tasks", async () => {
    const none = { taskId: "", contextId: "" };
    const ours = [task("working"), status("working", none), status("completed", none)];
    const others = [status("failed", { taskId: "t-2", contextId: "c-1" })];
    const far = endpointOf(() => [...ours.slice(0, 2), ...others, ...ours.slice(2), status("failed")], true);

    expect(await Array.fromAsync(begin({}, far).events)).toEqual(ours);
    expect([far.ops(), far.left]).toEqual([["stream"], ["stream"]]);
  });

  it.each([task("completed"), said()])(
    "the stream of a task that is over with its first event is left: $type",
    async (first) => {
      const far = endpointOf(() => [first, status("failed")], true);
      expect(await Array.fromAsync(begin({}, far).events)).toEqual([first]);
      expect([far.ops(), far.left]).toEqual([["stream"], ["stream"]]);
    },
  );

  it.each([
    ["ends", () => []],
    ["breaks off", () => [dropped()]],
    ["is not resumed", () => [rpc(-32004)]],
    ["has no way to be", () => [new RemoteFailure("status", { happened: "is not there", status: 404 })]],
  ])("is resumed once, and when that %s too the task is asked for", async (_what, again) => {
    const far = endpointOf(({ op }) => {
      if (op === "subscribe") return [status("working"), ...again()];
      return op === "get" ? task("completed") : [task("working"), dropped()];
    }, true);

    const reading = Array.fromAsync(begin({}, far).events);
    await vi.runAllTimersAsync();
    expect(await reading).toEqual([task("working"), status("working"), task("completed")]);
    expect(far.made.map(({ call, setting }) => ({ ...call, setting }))).toEqual([
      { op: "stream", message: sent, setting: usersSetting },
      { op: "subscribe", id: "t-1", setting: usersSetting },
      { op: "get", id: "t-1", setting: usersSetting },
    ]);
    expect(far.left).toEqual(["stream", "subscribe"]);
  });

  it.each([rpc(-32004), new RemoteFailure("form", { happened: "is odd" }), new TypeError("broken")])(
    "the stream of a task that fails otherwise is not resumed: %s",
    async (failure) => {
      const far = endpointOf(() => [task("working"), failure], true);
      await expect(Array.fromAsync(begin({}, far).events)).rejects.toBe(failure);
      expect(far.ops()).toEqual(["stream"]);
    },
  );
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { begin, dropped, endpointOf, rpc, said, status, task, usersSetting } from "../../test/fake-endpoint.ts";
import type { Reply } from "../../test/fake-endpoint.ts";
import { RemoteFailure } from "./remote-failure.ts";

const busy = () => new RemoteFailure("status", { happened: "is busy", status: 503 });

/** Sends a message, and asks for its task, whose answers are given, until it is over. */
function poll(answer: (index: number) => Reply) {
  const far = endpointOf(({ op }, index) => (op === "send" ? task("working") : answer(index - 1)));
  const { exchange, events } = begin({}, far);
  const reading = Array.fromAsync(events);
  reading.catch(() => undefined);
  return { far, exchange, reading };
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe("a task that is asked for", () => {
  it("is asked for after 100 ms, and then half as long again each time, up to 5 seconds", async () => {
    const { far, reading } = poll((index) => task(index < 12 ? "working" : "completed"));
    await vi.runAllTimersAsync();
    await reading;
    const times = far.made.slice(1).map(({ at }) => at);

    expect(times.map((at, index) => at - (times[index - 1] ?? 0))).toEqual([
      100, 150, 225, 337, 506, 759, 1139, 1708, 2562, 3844, 5000, 5000, 5000,
    ]);
    expect(far.made[1]).toEqual({
      call: { op: "get", id: "t-1" },
      setting: usersSetting,
      timeoutMs: undefined,
      at: 100,
    });
  });

  it("is given up at the third failure in a row, and not at the third of all", async () => {
    const last = dropped();
    const replies = [busy(), dropped(), task("working"), dropped(), busy(), last, task("completed")];
    const { far, reading } = poll((index) => replies[index] ?? []);
    await vi.runAllTimersAsync();

    await expect(reading).rejects.toBe(last);
    expect(far.made).toHaveLength(1 + 6);
  });

  it.each([
    [rpc(-32001), { rpcCode: -32001 }],
    [new TypeError("broken"), { message: "broken" }],
    [task("completed", { id: "t-2" }), { happened: "answered with another task than ours" }],
    [said({ taskId: "t-2" }), { happened: "answered with another task than ours" }],
  ])("is given up at once when the answer is %o", async (reply, failure) => {
    const { far, reading } = poll(() => reply);
    await vi.runAllTimersAsync();

    await expect(reading).rejects.toMatchObject(failure);
    expect(far.ops()).toEqual(["send", "get"]);
  });

  it.each([task("auth-required"), task("input-required"), task("failed"), status("canceled"), said()])(
    "is asked for until it is over or waits: %o",
    async (reply) => {
      const { far, reading } = poll(() => reply);
      await vi.runAllTimersAsync();

      expect(await reading).toEqual([task("working"), reply]);
      expect(far.ops()).toEqual(["send", "get"]);
    },
  );

  it("is not asked for once the exchange is closed", async () => {
    const { far, exchange, reading } = poll(() => task("working"));
    await vi.advanceTimersByTimeAsync(100);
    exchange.close();

    await expect(reading).rejects.toThrow("The exchange is over.");
    expect(far.ops()).toEqual(["send", "get"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the cancel of an exchange", () => {
  it("cancels the task, with 3 seconds for the answer, and closes what is open after that", async () => {
    const isAborted: boolean[] = [];
    const far = endpointOf(({ op }) => {
      isAborted.push(exchange.signal.aborted);
      return op === "cancel" ? task("canceled") : [task("working")];
    }, true);
    const { exchange, events } = begin({}, far);
    await events.next();
    await exchange.cancel();

    expect(far.made[1]).toEqual({ call: { op: "cancel", id: "t-1" }, setting: usersSetting, timeoutMs: 3000, at: 0 });
    expect(isAborted).toEqual([false, false]);
    expect(exchange.signal.aborted).toBe(true);
    expect(far.made[1]?.setting.signal).toBe(exchange.signal);
  });

  it.each([
    [task("working"), true],
    [task("submitted"), true],
    [task("auth-required"), true],
    [task("input-required"), false],
    [task("completed"), false],
    [task("failed"), false],
    [said(), false],
  ])("cancels a task only if it goes on: %o", async (event, cancels) => {
    const far = endpointOf(() => [event], true);
    const { exchange, events } = begin({}, far);
    await events.next();
    await exchange.cancel();

    expect(far.ops()).toEqual(cancels ? ["stream", "cancel"] : ["stream"]);
    expect(exchange.signal.aborted).toBe(true);
  });

  it.each([
    { failure: rpc(-32001), thrown: undefined },
    { failure: rpc(-32002), thrown: undefined },
    ...[rpc(-32603), dropped()].map((failure) => ({ failure, thrown: failure })),
  ])("is fine where the task is over or gone, and fails otherwise: $failure", async ({ failure, thrown }) => {
    const far = endpointOf(({ op }) => (op === "cancel" ? failure : [task("working")]), true);
    const { exchange, events } = begin({}, far);
    await events.next();

    expect(await exchange.cancel().catch((error: unknown) => error)).toBe(thrown);
    expect(exchange.signal.aborted).toBe(true);
  });

  it("sends nothing before the message is sent", async () => {
    const far = endpointOf(() => task("completed"));
    const { exchange } = begin({}, far);
    let isOver = false;
    void exchange.cancel().then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(0);
    expect([far.made, exchange.signal.aborted, isOver]).toEqual([[], true, true]);
  });

  it.each([
    { state: "working", cancels: true },
    { state: "completed", cancels: false },
  ] as const)("waits for the answer to the message, to cancel what is $state", async ({ state, cancels }) => {
    const answer = Promise.withResolvers<Reply>();
    const far = endpointOf(({ op }) => (op === "cancel" ? task("canceled") : answer.promise));
    const { exchange, events } = begin({}, far);
    const first = events.next();
    const cancelled = exchange.cancel();
    await vi.advanceTimersByTimeAsync(1499);
    expect([far.ops(), exchange.signal.aborted]).toEqual([["send"], false]);
    answer.resolve(task(state));
    await Promise.all([first, cancelled]);

    expect(far.ops()).toEqual(cancels ? ["send", "cancel"] : ["send"]);
    expect([vi.getTimerCount(), exchange.signal.aborted]).toEqual([0, true]);
  });

  it("waits 1,500 ms for the answer to the message, and no longer", async () => {
    const far = endpointOf(() => new Promise<Reply>(() => undefined));
    const { exchange, events } = begin({}, far);
    void events.next();
    const cancelled = exchange.cancel();
    await vi.advanceTimersByTimeAsync(1500);
    await cancelled;
    expect([far.ops(), exchange.signal.aborted]).toEqual([["send"], true]);
  });

  it("does not wait for the answer to a message that failed", async () => {
    const far = endpointOf(() => dropped());
    const { exchange, events } = begin({}, far);
    await expect(events.next()).rejects.toMatchObject({ kind: "unreachable" });
    await exchange.cancel();
    expect([far.ops(), vi.getTimerCount()]).toEqual([["send"], 0]);
  });
});

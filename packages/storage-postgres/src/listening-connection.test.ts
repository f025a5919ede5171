import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openListening, send } from "../test/fake-pool.ts";
import type { Notify } from "../test/fake-pool.ts";

const never = async (): Promise<never> => await new Promise(() => {});
const notifySql = "select pg_notify($1, $2)";
/** A query as the client sees it. */
const asked = (text: string) => ({ text, query_timeout: 5000 });

/** Advances the faked clock, and lets the connection take the turns of the event loop that it waits for. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let round = 0; round < 4; round += 1) await turn();
}

describe("ListeningConnection", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
  });

  it("connects, listens to all channels in one query, counts them as changed, and sends itself one notification", async () => {
    const { connection, clients, statements, changed } = openListening({ channels: ["a", "b"], notify: () => {} });
    await pass(0);

    expect(clients.map(({ calls }) => calls)).toEqual([
      ["connect", "unref", "connected", "unref", asked("listen a;listen b")],
    ]);
    expect(changed).toEqual(["a", "b"]);
    expect(statements).toEqual([{ sql: notifySql, parameters: ["a", expect.stringMatching(/^[\w-]{36}$/)] }]);
    expect(connection.isReceiving).toBe(false);
    clients[0]?.emit("notification", { channel: "b", payload: "" });
    expect(changed).toEqual(["a", "b", "b"]);
  });

  it("receives once its own notification has come within a second, and not by that of another process", async () => {
    const sent: Parameters<Notify>[] = [];
    const { connection, reasons } = openListening({ notify: (...call) => void sent.push(call) });
    await pass(999);
    const [client, own] = sent[0] ?? [];
    client?.emit("notification", { ...own, payload: "other" });
    client?.emit("notification", { channel: own?.channel });
    await pass(0);
    expect([connection.isReceiving, reasons]).toEqual([false, []]);

    client?.emit("notification", own);
    await pass(0);
    expect([connection.isReceiving, reasons]).toEqual([true, []]);
  });

  it("takes its own notification that the event loop reads two turns after the time limit", async () => {
    const late: Notify = (...call) =>
      void setTimeout(() => setImmediate(() => setImmediate(() => void send(...call))), 1000);
    const { connection, reasons } = openListening({ notify: late });
    await pass(0);
    // Not by `pass`, which lets turns of the event loop go by between two timers.
    vi.advanceTimersByTime(1000);
    await pass(0);

    expect([connection.isReceiving, reasons]).toEqual([true, []]);
  });

  it("gives up after 1000 ms without its own notification, and connects again a minute later", async () => {
    const { connection, clients, reasons } = openListening({ notify: () => {} });
    await pass(1000);

    expect(connection.isReceiving).toBe(false);
    expect(reasons).toEqual([
      "a pooler in transaction mode stands between. Connect to PostgreSQL itself, or through a pooler in session mode.",
    ]);
    expect(clients[0]?.calls.slice(5)).toEqual(["end"]);
    await pass(59_999);
    expect(clients).toHaveLength(1);
    await pass(1);
    expect(clients).toHaveLength(2);
  });

  it("sends no notification while there are no channels, and counts as receiving after 1000 ms", async () => {
    const { connection, statements, reasons } = openListening({ channels: [] });
    await pass(1000);

    expect([statements, reasons, connection.isReceiving]).toEqual([[], [], true]);
  });

  it.each([
    ["no Client", { Client: undefined }],
    ["no options", { options: undefined }],
  ])("names the reason if the pool has %s, once a minute", async (_, parts) => {
    const { reasons } = openListening({ parts });
    await pass(59_999);
    const reason = "the given pool has no Client and options, as those of pg have. Give a Pool of pg.";
    expect(reasons).toEqual([reason]);
    await pass(1);
    expect(reasons).toEqual([reason, reason]);
  });

  it("checks an open connection every 10 seconds, and receives nothing once a check has failed", async () => {
    const check = vi.fn<() => Promise<void>>(async () => {});
    const query = async (text: string): Promise<void> => void (text === "select 1" && (await check()));
    const { connection, clients, reasons } = openListening({ behaviors: [{ query }] });
    await pass(9999);
    expect(check).toHaveBeenCalledTimes(0);
    await pass(1);
    expect(clients[0]?.calls.at(-1)).toEqual(asked("select 1"));
    expect([check.mock.calls.length, connection.isReceiving]).toEqual([1, true]);

    check.mockRejectedValueOnce(new Error("Query read timeout"));
    await pass(10_000);
    expect([check.mock.calls.length, connection.isReceiving, reasons]).toEqual([2, false, []]);
    expect(clients[0]?.calls.at(-1)).toBe("end");
    await pass(500);
    expect([clients.length, connection.isReceiving]).toEqual([2, true]);
  });

  it("connects again 500 ms after the connection has ended, and is not stopped by its error", async () => {
    const { connection, clients, reasons } = openListening();
    await pass(0);
    clients[0]?.emit("error", new Error("Connection terminated unexpectedly"));
    clients[0]?.emit("end");
    await pass(499);
    expect([clients.length, connection.isReceiving, reasons]).toEqual([1, false, []]);
    await pass(1);
    expect([clients.length, connection.isReceiving]).toEqual([2, true]);
  });

  it("does not receive by the notification of a connection that ended before its answer", async () => {
    const answer = Promise.withResolvers<void>();
    const notify: Notify = async (...call) => {
      await send(...call);
      await answer.promise;
    };
    const { connection, clients, reasons } = openListening({ notify, behaviors: [{}, { connect: never }] });
    await pass(0);
    clients[0]?.emit("end");
    await pass(500);
    answer.resolve();
    await pass(4000);

    expect([connection.isReceiving, reasons, clients.length]).toEqual([false, [], 2]);
    await pass(6000);
    expect(clients[0]?.calls).not.toContainEqual(asked("select 1"));
  });

  it("listens to one more channel of an open connection, and counts it as changed once the server has answered", async () => {
    const answer = Promise.withResolvers<void>();
    const query = async (text: string): Promise<void> => void (text === "listen b" && (await answer.promise));
    const { connection, clients, changed } = openListening({ behaviors: [{ query }], notify: () => {} });
    await pass(0);
    connection.listen("b");
    await pass(0);
    expect(clients[0]?.calls.at(-1)).toEqual(asked("listen b"));
    expect(changed).toEqual(["a"]);

    answer.resolve();
    await pass(0);
    expect(changed).toEqual(["a", "b"]);
  });

  it("sends no query for one more channel before the connection is made", async () => {
    const made = Promise.withResolvers<void>();
    const { connection, clients } = openListening({ behaviors: [{ connect: async () => await made.promise }] });
    connection.listen("b");
    await pass(0);
    expect(clients[0]?.calls).toEqual(["connect", "unref"]);
    made.resolve();
    await pass(0);
    expect(clients[0]?.calls.slice(2)).toEqual(["connected", "unref", asked("listen a")]);
  });

  it("gives up a connection that refuses one more channel, but not the next one when the refusal is late", async () => {
    const refusal = Promise.withResolvers<never>();
    const query = async (text: string): Promise<void> => {
      if (text === "listen b") throw new Error("refused");
      if (text === "listen c") await refusal.promise;
    };
    const { connection, clients } = openListening({ behaviors: [{ query }] });
    await pass(0);
    connection.listen("c");
    connection.listen("b");
    await pass(0);
    expect([connection.isReceiving, clients[0]?.calls.at(-1)]).toEqual([false, "end"]);
    await pass(500);
    expect([connection.isReceiving, clients.length]).toEqual([true, 2]);

    refusal.reject(new Error("Connection terminated"));
    await pass(1000);
    expect([connection.isReceiving, clients.length]).toEqual([true, 2]);
  });

  it("ends an open connection when it is closed, without cutting it off, and leaves no timer", async () => {
    const { connection, clients } = openListening();
    await pass(0);
    connection.close();
    await pass(0);
    expect(clients[0]?.calls.slice(5)).toEqual(["end"]);
    expect([connection.isReceiving, vi.getTimerCount()]).toEqual([false, 0]);
    await pass(120_000);
    expect(clients).toHaveLength(1);
  });

  it("cuts off a connection that is being made when it is closed, and does not listen when it is made all the same", async () => {
    const made = Promise.withResolvers<void>();
    const { connection, clients } = openListening({ behaviors: [{ connect: async () => await made.promise }] });
    connection.close();
    await pass(0);
    expect(clients[0]?.calls).toEqual(["connect", "unref", "end", "destroy"]);
    made.resolve();
    await pass(70_000);
    expect(clients.map(({ calls }) => calls.slice(4))).toEqual([["connected", "unref"]]);
  });

  it("keeps no process alive by its timers, and no listener of a wait that is over", async () => {
    const { setTimeout: faked } = globalThis;
    const made: NodeJS.Timeout[] = [];
    // Not a spy: its restoring would give later files of this worker the faked function.
    const noted = (act: () => void, ms?: number): NodeJS.Timeout => {
      const timer = faked(act, ms);
      made.push(timer);
      return timer;
    };
    Object.assign(globalThis, { setTimeout: Object.assign(noted, faked) });
    const addListener = vi.spyOn(EventTarget.prototype, "addEventListener");
    onTestFinished(() => {
      Object.assign(globalThis, { setTimeout: faked });
      addListener.mockRestore();
    });
    const { clients } = openListening();
    await pass(35_000);
    clients[0]?.emit("end");
    await pass(35_000);

    const signal = addListener.mock.contexts.find((context) => context instanceof AbortSignal);
    expect(getEventListeners(signal as AbortSignal, "abort")).toHaveLength(2);
    expect(new Set(made.map((timer) => timer.hasRef()))).toEqual(new Set([false]));
  });
});

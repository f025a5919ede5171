import type { Namespace, Server, Socket } from "socket.io";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { AwayClients } from "./away-clients.ts";
import type { SocketClient } from "./socket-client.ts";

/** Socket.IO keeps a connection for this long, and the gateway a little longer. */
const awayMs = 1000;
const givenUpMs = awayMs + 100;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Clients of a server, and what other nodes answer about them. */
function serverWith(opts: object = { connectionStateRecovery: { maxDisconnectionDuration: awayMs } }) {
  const asked: unknown[] = [];
  const state: { elsewhere: () => Promise<unknown[]> } = { elsewhere: async () => [] };
  const namespace = {
    in: (id: string) => ({
      fetchSockets: async () => {
        asked.push(id);
        return await state.elsewhere();
      },
    }),
  } as unknown as Namespace;
  const away = new AwayClients({ opts } as unknown as Server, namespace);
  return { away, asked, state };
}

/** A client that notes what is done to it. */
function clientOf(id: string) {
  const told: unknown[] = [];
  const client = { socket: { id }, leave: () => told.push("leave"), resume: (socket: Socket) => told.push(socket) };
  return { client: client as unknown as SocketClient, told };
}

const back = (id: string, recovered: boolean) => ({ id, recovered }) as Socket;

describe("a client whose connection ends", () => {
  it.each([
    ["transport error", true],
    ["transport close", true],
    ["forced close", true],
    ["ping timeout", true],
    ["client namespace disconnect", false],
    ["server namespace disconnect", false],
    ["server shutting down", false],
    ["parse error", false],
    ["", false],
  ])("a client whose connection ends by %j is kept: %s", (reason, isKept) => {
    expect(serverWith().away.keep(clientOf("a").client, reason)).toBe(isKept);
  });

  it.each([{}, { connectionStateRecovery: undefined }, { connectionStateRecovery: {} }])(
    "is not kept by a server with the options %j",
    (opts) => {
      expect(serverWith(opts).away.keep(clientOf("a").client, "transport close")).toBe(false);
    },
  );

  it("is given up 100 ms after Socket.IO gave it up, once, when no node has it", async () => {
    const { away, asked } = serverWith();
    const { client, told } = clientOf("a");
    away.keep(client, "transport close");

    await vi.advanceTimersByTimeAsync(givenUpMs - 1);
    expect([asked, told]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1);
    expect([asked, told]).toEqual([["a"], ["leave"]]);
    await vi.advanceTimersByTimeAsync(10 * givenUpMs);
    expect([asked, told]).toEqual([["a"], ["leave"]]);
    expect(away.take(back("a", true))).toBeUndefined();
  });

  it("is looked for again each time while one other node has it", async () => {
    const { away, asked, state } = serverWith();
    const { client, told } = clientOf("a");
    state.elsewhere = async () => [{}];
    away.keep(client, "ping timeout");

    await vi.advanceTimersByTimeAsync(3 * givenUpMs);
    expect([asked, told]).toEqual([["a", "a", "a"], []]);
    state.elsewhere = async () => [];
    await vi.advanceTimersByTimeAsync(givenUpMs);
    expect(told).toEqual(["leave"]);
  });

  it("is given up when another node does not answer", async () => {
    const { away, state } = serverWith();
    const { client, told } = clientOf("a");
    state.elsewhere = async () => await Promise.reject(new Error("timeout"));
    away.keep(client, "transport close");
    await vi.advanceTimersByTimeAsync(givenUpMs);

    expect(told).toEqual(["leave"]);
  });
});

describe("a client that is back", () => {
  it("gets its new socket, and is not given up any more", async () => {
    const { away, asked } = serverWith();
    const { client, told } = clientOf("a");
    away.keep(client, "transport close");
    const socket = back("a", true);

    expect(away.take(socket)).toBe(client);
    await vi.advanceTimersByTimeAsync(10 * givenUpMs);
    expect([asked, told]).toEqual([[], [socket]]);
    expect(away.take(socket)).toBeUndefined();
  });

  it.each([
    ["another id", back("b", true)],
    ["a socket that was not recovered", back("a", false)],
  ])("is not found by %s, and is waited for", async (_name, socket) => {
    const { away } = serverWith();
    const { client, told } = clientOf("a");
    away.keep(client, "transport close");

    expect(away.take(socket)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(givenUpMs);
    expect(told).toEqual(["leave"]);
  });
});

describe("the clients that are away", () => {
  it("are forgotten one by one, and no other client of the same id", async () => {
    const { away, asked } = serverWith();
    const [one, other] = [clientOf("a"), clientOf("b")];
    for (const { client } of [one, other]) away.keep(client, "transport close");
    away.forget(clientOf("b").client);
    away.forget(one.client);
    away.forget(clientOf("c").client);
    await vi.advanceTimersByTimeAsync(givenUpMs);

    expect([asked, one.told, other.told]).toEqual([["b"], [], ["leave"]]);
  });

  it("leave at once when the gateway closes, each once", async () => {
    const { away, asked } = serverWith();
    const clients = ["a", "b"].map(clientOf);
    for (const { client } of clients) away.keep(client, "transport close");
    away.close();
    away.close();
    await vi.advanceTimersByTimeAsync(givenUpMs);

    expect(clients.map(({ told }) => told)).toEqual([["leave"], ["leave"]]);
    expect(asked).toEqual([]);
  });

  it("are not given up by an answer that comes after the gateway has closed", async () => {
    const { away, state } = serverWith();
    const { client, told } = clientOf("a");
    const answer = Promise.withResolvers<unknown[]>();
    state.elsewhere = async () => await answer.promise;
    away.keep(client, "transport close");
    await vi.advanceTimersByTimeAsync(givenUpMs);
    away.close();
    answer.resolve([]);
    await vi.advanceTimersByTimeAsync(0);

    expect(told).toEqual(["leave"]);
  });
});

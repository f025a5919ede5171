import { createLogger } from "@troupe/core";
import type { Socket } from "socket.io";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FakeSocket } from "../test/fake-sockets.ts";
import type { ServerEvent } from "./events.ts";
import { SendBudget } from "./send-budget.ts";
import { SocketClient } from "./socket-client.ts";

const chunk: ServerEvent = ["agent.chunk", { runId: "r1", name: "a", sessionId: "s1", chunk: "Hi." }];

function socketOf(id: string, principal: unknown) {
  return Object.assign(new FakeSocket(id, ""), { data: principal === "none" ? undefined : { principal } });
}

const asSocket = (socket: object) => socket as Socket;

/** A client of the user ada, unless its principal is given, and what it tells the gateway. */
function startClient(...given: [principal?: unknown]) {
  const socket = socketOf("1", given.length === 0 ? { userId: "ada" } : given[0]);
  const onFree = vi.fn<(client: SocketClient) => void>();
  const warn = vi.fn<(message: string, fields?: unknown) => void>();
  const budget = new SendBudget(1_000_000);
  const client = new SocketClient(asSocket(socket), {
    maxRunsPerSocket: 2,
    maxBufferedBytes: 100,
    budget,
    logger: { ...createLogger(), warn },
    onFree,
  });
  onTestFinished(() => client.leave());
  /** Takes a place, and returns it with a function that tells how often its run was ended. */
  const take = (runId?: string) => {
    const place = client.takePlace();
    if (runId !== undefined) place.runId = runId;
    const left = vi.fn<() => void>();
    place.onLeave(left);
    return { place, left };
  };
  return { client, socket, onFree, warn, budget, take };
}

describe("the places of a client", () => {
  it("are as many as it may have, and the gateway learns once of each that is free again", () => {
    const { client, onFree, take } = startClient();
    expect(client.isIdle).toBe(true);
    const [first, second] = [take(), take()];
    expect(client.isIdle).toBe(false);
    expect(() => client.takePlace()).toThrow(
      expect.objectContaining({
        code: "rate_limited",
        message: "This socket has 2 runs under way, which is the limit. Wait until one is over, or cancel it.",
        fields: { maxRunsPerSocket: 2 },
      }),
    );
    first.place.end();
    first.place.end();
    expect(onFree.mock.calls).toEqual([[client]]);
    expect(client.isIdle).toBe(false);
    const third = take();
    second.place.end();
    third.place.end();
    third.place.end();
    expect(onFree.mock.calls).toEqual([[client], [client], [client]]);
    expect(client.isIdle).toBe(true);
    for (const { left } of [first, second, third]) expect(left).not.toHaveBeenCalled();
  });

  it("the places of a client that follow a run end when it is followed again, without a word to the gateway", () => {
    const { client, onFree, take } = startClient();
    const [first, second] = [take("r1"), take("r2")];
    client.stopFollowing("r3");
    client.stopFollowing("r1");
    expect([first.left.mock.calls.length, second.left.mock.calls.length]).toEqual([1, 0]);
    take("r1");
    first.place.end();
    expect(onFree).not.toHaveBeenCalled();
    second.place.end();
    expect(onFree).toHaveBeenCalledOnce();
    expect(client.isIdle).toBe(false);
  });

  it("are of a client that follows a run only once they have the run's id", () => {
    const { client, take } = startClient();
    const { place } = take();
    expect(client.isFollowing).toBe(false);
    place.runId = "r1";
    expect(client.isFollowing).toBe(true);
    place.end();
    expect(client.isFollowing).toBe(false);
  });

  it("end with the client, also those that come late", () => {
    const { client, take, socket } = startClient();
    const { place, left } = take();
    expect([client.isGone, place.hasLeft]).toEqual([false, false]);
    client.checkPresent();
    client.leave();
    expect([client.isGone, place.hasLeft, left.mock.calls.length]).toEqual([true, true, 1]);
    const late = vi.fn<() => void>();
    place.onLeave(late);
    expect(late).toHaveBeenCalledOnce();
    const gone = { code: "cancelled", message: "The client disconnected before the answer." };
    expect(() => client.checkPresent()).toThrow(expect.objectContaining(gone));
    expect(() => client.takePlace()).toThrow(expect.objectContaining(gone));
    client.send(chunk);
    expect(socket.sent).toEqual([]);
  });
});

describe("the user of a client", () => {
  it.each<[unknown, unknown]>([
    [{ userId: "ada" }, { userId: "ada" }],
    [
      { userId: "ada", tenantId: "t" },
      { userId: "ada", tenantId: "t" },
    ],
    [undefined, undefined],
    ["none", undefined],
  ])("by the principal %j is %j", (principal, user) => {
    expect(startClient(principal).client.principal).toEqual(user);
    expect(startClient(principal).client.takePlace().owner).toEqual(user ?? {});
  });

  it("the user of a client that is malformed is a fault of the service, and takes no place", () => {
    const { client } = startClient({ userId: 7 });
    expect(() => client.takePlace()).toThrow(expect.objectContaining({ code: "internal" }));
    expect(client.isIdle).toBe(true);
  });
});

describe("a client that is back on another socket", () => {
  it.each<[string, unknown, boolean]>([
    ["go on for the same user", { userId: "ada" }, true],
    ["end for another user", { userId: "bob" }, false],
    ["end for the same user of another tenant", { userId: "ada", tenantId: "t" }, false],
    ["end for nobody", undefined, false],
    ["end for a user that is malformed", { userId: 7 }, false],
  ])("has runs that %s", (_, principal, isGoingOn) => {
    const { client, take, socket } = startClient();
    const { place, left } = take();
    const next = socketOf("2", principal);
    client.resume(asSocket(next));
    expect([left.mock.calls.length, place.hasLeft, client.isIdle]).toEqual(
      isGoingOn ? [0, false, false] : [1, true, true],
    );
    expect(client.socket).toBe(next);
    client.send(chunk);
    expect([socket.sent, next.sent]).toEqual([[], [{ name: "agent.chunk", payload: chunk[1] }]]);
    expect([socket.conn.listening > 0, next.conn.listening > 0]).toEqual([false, true]);
  });

  it("has the runs that it began for nobody, as nobody", () => {
    const { client, take } = startClient(undefined);
    const { left } = take();
    client.resume(asSocket(socketOf("2", undefined)));
    expect(left).not.toHaveBeenCalled();
  });
});

describe("the connection of a client", () => {
  it("is closed by close, and nothing listens to it after the client has left", () => {
    const { client, socket } = startClient();
    const closed = vi.fn<() => void>();
    socket.conn.once("close", closed);
    client.close();
    expect(closed).toHaveBeenCalledOnce();
    client.leave();
    expect(socket.conn.listening).toBe(0);
  });

  it("has room until more than 64 KB wait", async () => {
    const { client, socket } = startClient();
    expect(client.hasRoom).toBe(true);
    await client.untilRoom(chunk);
    socket.conn.emit("packetCreate", { data: "x".repeat(65_537) });
    expect(client.hasRoom).toBe(false);
    const waiting = client.untilRoom(chunk);
    client.leave();
    await waiting;
  });

  it("is broken where the client does not read: its runs end, and the log says why", async () => {
    const { client, socket, warn, take } = startClient();
    const { left } = take();
    const disconnect = vi.spyOn(socket, "disconnect");
    const close = vi.spyOn(socket.conn, "close");
    for (const bytes of [50, 101]) socket.conn.emit("packetCreate", { data: "x".repeat(bytes) });
    expect(warn).not.toHaveBeenCalled();
    socket.conn.emit("packetCreate", { data: "x".repeat(51) });
    await new Promise((resolve) => setImmediate(resolve));
    expect(warn.mock.calls).toEqual([
      [
        "A socket was dropped: its client does not read what it is sent.",
        { socketId: "1", bufferedBytes: 202, reason: "maxBufferedBytes" },
      ],
    ]);
    expect([client.isGone, left.mock.calls.length, disconnect.mock.calls.length, close.mock.calls.length]).toEqual([
      true,
      1,
      1,
      1,
    ]);
  });

  it.each<[unknown, unknown, boolean]>([
    [{ userId: "ada" }, { userId: "ada" }, true],
    [{ userId: "ada" }, { userId: "bob" }, false],
    [undefined, undefined, true],
    [undefined, { userId: 7 }, true],
    [{ userId: "ada" }, undefined, false],
  ])("counts its bytes for its user: %j and %j are one: %s", (one, other, isOne) => {
    const callers = [one, other].map((principal) => {
      const { socket, budget } = startClient(principal);
      const change = vi.spyOn(budget, "change");
      socket.conn.emit("packetCreate", { data: "x" });
      return change.mock.calls[0]?.[2];
    });
    expect(callers[0] === callers[1]).toBe(isOne);
  });
});

import { EventEmitter } from "node:events";
import { Server as NetServer } from "node:net";
import { Server as TlsServer } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { replaceSleep } from "@troupe-internal/interleavings";
import { WatchedServer } from "./watched-server.ts";
import type { ClosableServer } from "./watched-server.ts";

/** A connection without a network, and what is done to it. */
class FakeSocket extends EventEmitter {
  bytesRead = 0;
  readonly told: string[] = [];

  destroy(): void {
    this.told.push("destroy");
    this.emit("close");
  }

  destroySoon(): void {
    this.told.push("destroySoon");
    this.emit("close");
  }
}

/** A server without a network, whose pauses end when the test says so, and whose clock stands in between. */
function watch({ isSecure = false } = {}) {
  const server = Object.assign(new EventEmitter(), { closeAllConnections: vi.fn<() => void>() });
  if (isSecure) Object.setPrototypeOf(server, TlsServer.prototype);
  const closed: unknown[] = [];
  let whenClosed: () => void = () => undefined;
  const close = vi.spyOn(NetServer.prototype, "close").mockImplementation(function (this: NetServer, done) {
    closed.push(this);
    whenClosed = () => done?.();
    return this;
  });
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  const pauses: { ms: unknown; options: unknown }[] = [];
  let wake: () => void = () => undefined;
  const restoreSleep = replaceSleep(async (ms, options) => {
    pauses.push({ ms, options });
    await new Promise<void>((resolve) => (wake = resolve));
    now += Number(ms);
  });
  onTestFinished(() => {
    restoreSleep();
    close.mockRestore();
    clock.mockRestore();
  });
  const watched = new WatchedServer(server as unknown as ClosableServer);
  /** Ends pauses one after the other. */
  const pass = async (count: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    for (let passed = 0; passed < count; passed++) {
      wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const connect = (event = "connection"): FakeSocket => {
    const socket = new FakeSocket();
    server.emit(event, socket);
    return socket;
  };
  /** A request whose body has come whole, unless it says otherwise. */
  const ask = (socket: FakeSocket, fields: object = {}) => {
    const setHeader = vi.fn<(...header: unknown[]) => void>();
    const request = Object.assign(new EventEmitter(), { socket, complete: true, url: "/a", headers: {}, ...fields });
    const response = Object.assign(new EventEmitter(), { setHeader });
    socket.bytesRead += 100;
    server.emit("request", request, response);
    return { request, response, setHeader };
  };
  const msOf = (from: number) => pauses.slice(from).map(({ ms }) => ms);
  return { server, watched, pass, connect, ask, closed, pauses, msOf, finish: () => whenClosed() };
}

async function stateOf(promise: Promise<unknown>): Promise<string> {
  return await Promise.race([
    promise.then(() => "over"),
    new Promise<string>((resolve) => setImmediate(() => resolve("open"))),
  ]);
}

const drainLooks = 20;
const quietLooks = 5;

describe("WatchedServer", () => {
  it("closes at once without connections: one look, five at the arrivals, and then its listener", async () => {
    const { server, watched, pass, closed, pauses, finish } = watch();
    const over = watched.close(1000);
    await pass(1);
    expect(closed).toEqual([]);
    await pass(quietLooks);
    expect(closed).toEqual([server]);
    expect(pauses.slice(0, 6)).toEqual([50, 10, 10, 10, 10, 10].map((ms) => ({ ms, options: { ref: false } })));
    expect(await stateOf(over)).toBe("open");
    finish();
    await pass(1);
    expect(await stateOf(over)).toBe("over");
  });

  it("takes no time to drain with none given, and looks no longer than that in the end", async () => {
    const none = watch();
    void none.watched.close(0);
    await none.pass(quietLooks);
    expect([none.msOf(0).slice(0, 5), none.closed.length]).toEqual([[10, 10, 10, 10, 10], 1]);

    const short = watch();
    short.connect();
    void short.watched.close(120);
    await short.pass(3);
    expect(short.msOf(0)).toEqual([50, 50, 20, 10]);
  });

  it("drains until each connection has been idle for twenty looks in a row", async () => {
    const { watched, pass, connect, ask, msOf } = watch();
    connect();
    const busy = connect();
    const { response } = ask(busy);
    void watched.close(600_000);
    await pass(30);
    expect(new Set(msOf(0))).toEqual(new Set([50]));
    response.emit("close");
    await pass(drainLooks - 1);
    expect(msOf(-1)).toEqual([50]);
    await pass(1);
    expect(msOf(-1)).toEqual([10]);
  });

  it("counts from the beginning for a connection that read more than its last exchange, and while that is so", async () => {
    const { watched, pass, connect, ask, msOf } = watch();
    const socket = connect();
    void watched.close(600_000);
    await pass(drainLooks - 1);
    socket.bytesRead += 1;
    await pass(30);
    const { response } = ask(socket);
    response.emit("close");
    await pass(drainLooks - 1);
    expect(msOf(-1)).toEqual([50]);
    await pass(1);
    expect(msOf(-1)).toEqual([10]);
  });

  it("takes the rest of a body for no request", async () => {
    const { watched, pass, connect, ask, msOf } = watch();
    const socket = connect();
    const { request, response } = ask(socket, { complete: false });
    response.emit("close");
    socket.bytesRead += 50;
    void watched.close(600_000);
    await pass(30);
    expect(msOf(-1)).toEqual([50]);
    request.emit("close");
    await pass(drainLooks);
    expect(msOf(-1)).toEqual([10]);
  });

  it("takes what comes behind a whole request for the next one", async () => {
    const { watched, pass, connect, ask, msOf } = watch();
    const socket = connect();
    const { request, response } = ask(socket);
    response.emit("close");
    socket.bytesRead += 50;
    request.emit("close");
    void watched.close(600_000);
    await pass(30);
    expect(msOf(-1)).toEqual([50]);
  });

  it("carries two answers on one connection until both are over", async () => {
    const { watched, pass, connect, ask, msOf } = watch();
    const socket = connect();
    const [first, second] = [ask(socket), ask(socket)];
    void watched.close(600_000);
    first.response.emit("close");
    await pass(30);
    expect(msOf(-1)).toEqual([50]);
    second.response.emit("close");
    await pass(drainLooks);
    expect(msOf(-1)).toEqual([10]);
  });

  it("asks clients to close with each answer once it closes, and not before", async () => {
    const { watched, connect, ask } = watch();
    const socket = connect();
    expect(ask(socket).setHeader).not.toHaveBeenCalled();
    void watched.close(600_000);
    expect(ask(socket).setHeader.mock.calls).toEqual([["Connection", "close"]]);
  });

  it("holds requests while its listener closes, and gives them to the host once, in their order", async () => {
    const { server, watched, pass, connect, ask, closed } = watch();
    const seen: unknown[] = [];
    const once = vi.fn<() => void>();
    server.on("request", (request) => seen.push([request, closed.length]));
    server.once("request", once);
    const socket = connect();
    void watched.close(0);
    await pass(0);
    const first = ask(socket);
    await pass(2);
    const second = ask(socket);
    expect(seen).toEqual([]);
    expect(first.setHeader).not.toHaveBeenCalled();
    await pass(quietLooks + 1);
    expect(seen).toEqual([
      [first.request, 1],
      [second.request, 1],
    ]);
    expect(once).toHaveBeenCalledOnce();
    expect(first.setHeader.mock.calls).toEqual([["Connection", "close"]]);
    const third = ask(socket);
    expect(seen.at(-1)).toEqual([third.request, 1]);
    expect(server.listenerCount("request")).toBe(2);
  });

  it("closes its listener five looks behind the last arrival, a connection or a request, and after fifty looks at most", async () => {
    const quiet = watch();
    void quiet.watched.close(0);
    await quiet.pass(4);
    const socket = quiet.connect();
    await quiet.pass(4);
    quiet.ask(socket);
    await quiet.pass(quietLooks);
    expect(quiet.closed).toHaveLength(0);
    await quiet.pass(1);
    expect(quiet.closed).toHaveLength(1);

    const flooded = watch();
    void flooded.watched.close(0);
    for (let count = 0; count < 49; count++) {
      flooded.connect();
      await flooded.pass(1);
    }
    expect(flooded.closed).toHaveLength(0);
    flooded.connect();
    await flooded.pass(1);
    expect(flooded.closed).toHaveLength(1);
  });

  it("ends connections that have rested, in order, and leaves those that carry an answer", async () => {
    const { watched, pass, connect, ask } = watch();
    const [idle, busy] = [connect(), connect()];
    const { response } = ask(busy);
    void watched.close(0);
    await pass(quietLooks + drainLooks - 1);
    expect([idle.told, busy.told]).toEqual([[], []]);
    await pass(1);
    expect([idle.told, busy.told]).toEqual([["destroySoon"], []]);
    response.emit("close");
    await pass(drainLooks);
    expect([idle.told, busy.told]).toEqual([["destroySoon"], ["destroySoon"]]);
  });

  it("ends what is left when it is forced, at any moment", async () => {
    for (const passed of [0, 3, 8, 30]) {
      const { server, watched, pass, connect, ask } = watch();
      ask(connect());
      const over = watched.close(100);
      await pass(passed);
      watched.force();
      expect(server.closeAllConnections).toHaveBeenCalledOnce();
      await pass(2);
      expect(await stateOf(over)).toBe("over");
    }
  });

  it("ends connections below TLS that have sent nothing, only when the listener is closed, and tracks those above", async () => {
    const { watched, pass, connect } = watch({ isSecure: true });
    const [silent, greeting, gone, above] = [connect(), connect(), connect(), connect("secureConnection")];
    greeting.bytesRead = 1;
    gone.emit("close");
    void watched.close(0);
    await pass(quietLooks - 1);
    expect(silent.told).toEqual([]);
    await pass(1);
    expect([silent.told, greeting.told, gone.told]).toEqual([["destroy"], [], []]);
    await pass(drainLooks);
    expect([above.told, greeting.told]).toEqual([["destroySoon"], []]);
  });

  it("looks at a connection of plain HTTP, and forgets one that is closed", async () => {
    const { watched, pass, connect } = watch();
    const socket = connect();
    expect(socket.listenerCount("close")).toBe(1);
    socket.emit("close");
    void watched.close(0);
    await pass(40);
    expect(socket.told).toEqual([]);
  });
});

import { EventEmitter, once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { Connections, PostgresConnection, PostgresPool, SqlStatement } from "@troupe-internal/postgres";
import pg from "pg";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { listenerOf } from "./change-listener.ts";

/** An attempt to connect: the server lets it in, a pooler stands between, nothing answers, or an error is thrown. */
type Attempt = "notified" | "unnotified" | "silent" | Error;

/** Makes the error of a server that refuses a connection. */
function refusal(code: string): Error {
  return Object.assign(new Error("refused"), { code, severity: "FATAL" });
}

/** A connection to the test, which says how the attempt ends. */
class FakeClient extends EventEmitter implements PostgresConnection {
  readonly attempt: Attempt;
  isCutOff = false;
  readonly connection = { stream: { destroy: () => (this.isCutOff = true) } };

  constructor(attempt: Attempt) {
    super();
    this.attempt = attempt;
  }

  async connect(): Promise<void> {
    if (this.attempt instanceof Error) throw this.attempt;
    if (this.attempt === "silent") await new Promise(() => {});
  }

  async query(): Promise<void> {}
  unref(): void {}
  async end(): Promise<void> {}
}

/**
 * Listens to one channel of a pool whose server is the test: `attempts` says how one attempt to connect after the other ends,
 * and the last one stands for all that follow.
 */
function listen(...attempts: [...Attempt[], Attempt]) {
  const clients: FakeClient[] = [];
  const attempt = (): Attempt => attempts[Math.min(clients.length, attempts.length - 1)] ?? "silent";
  const pool = Object.assign(new EventEmitter(), {
    options: {},
    Client: class extends FakeClient {
      constructor() {
        super(attempt());
        clients.push(this);
      }
    },
  });
  const notify = async ({ parameters: [channel, payload] }: SqlStatement): Promise<void> => {
    for (const client of clients) if (client.attempt === "notified") client.emit("notification", { channel, payload });
  };
  return { clients, ...listenOn(pool as unknown as PostgresPool, notify) };
}

/** Listens to one channel of a pool, which sends its notifications by a function. */
function listenOn(pool: PostgresPool, notify: (statement: SqlStatement) => Promise<void>) {
  const connections = { useRepeatedly: async (work: (query: typeof notify) => unknown) => await work(notify) };
  const onChange = vi.fn<() => void>();
  const listener = listenerOf(pool, connections as unknown as Connections);
  const stop = listener.add("channel", onChange);
  onTestFinished(stop);
  /** Returns true if notifications come: without them, a timer calls back ten times a second. */
  const isReceiving = async (): Promise<boolean> => {
    onChange.mockClear();
    await vi.advanceTimersByTimeAsync(200);
    return onChange.mock.calls.length === 0;
  };
  /** Adds a function to a channel. Returns the function that ends its calls. */
  const add = (channel: string, call: () => void): (() => void) => {
    const stopCalls = listener.add(channel, call);
    onTestFinished(stopCalls);
    return stopCalls;
  };
  return { stop, add, again: () => add("channel", onChange), isReceiving };
}

/** Advances the faked clock second by second until as many connections were made. */
async function untilMade(clients: readonly FakeClient[], count: number): Promise<void> {
  for (let seconds = 0; seconds < 70 * count && clients.length < count; seconds += 1) {
    await vi.advanceTimersByTimeAsync(1000);
    // The listener waits for turns of the event loop, too.
    for (let round = 0; round < 3; round += 1) await turn();
  }
  expect(clients).toHaveLength(count);
}

/** Starts a server that accepts connections and never says anything, not even their end. */
async function startSilentServer(): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => sockets.push(socket.on("error", () => {}).resume()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** The warnings of the process from now on, which are not shown. */
function takeWarnings(): string[] {
  const messages: string[] = [];
  const emit = vi.spyOn(process, "emitWarning").mockImplementation((message) => void messages.push(String(message)));
  onTestFinished(() => emit.mockRestore());
  return messages;
}

describe("ChangeListener", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
  });

  it.each([
    ["08006", "a lost connection"],
    ["08P01", "a pooler without a server"],
    ["53300", "too many connections"],
    ["57P03", "a server that starts up"],
  ])("connects again within a second after %s, %s, and warns of nothing", async (code) => {
    const warnings = takeWarnings();
    const { clients, isReceiving } = listen(refusal(code), refusal(code), "notified");
    expect(await isReceiving()).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);

    expect(clients).toHaveLength(3);
    expect(await isReceiving()).toBe(true);
    expect(warnings).toEqual([]);
  });

  it("calls all functions of each channel, and no more those whose calls were ended, in any order", async () => {
    const { add } = listen("silent");
    const called: string[] = [];
    const stops = new Map(
      ["a 1", "a 2", "a 3", "b 1", "b 2"].map((name) => [name, add(name.slice(0, 1), () => void called.push(name))]),
    );
    for (const ended of ["a 2", "b 2", "a 1", "b 1"]) {
      await vi.advanceTimersByTimeAsync(100);
      expect(called.splice(0)).toEqual([...stops.keys()]);
      stops.get(ended)?.();
      stops.delete(ended);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(called).toEqual(["a 3"]);
  });

  it("calls a function that was added twice until both additions are over", async () => {
    takeWarnings();
    const { stop, again, isReceiving } = listen(refusal("53300"));
    again();
    expect(await isReceiving()).toBe(false);
    stop();
    expect(await isReceiving()).toBe(false);
    stop();
    expect(await isReceiving()).toBe(false);
  });

  it("connects again a minute after a refusal that does not pass, and warns of its reason and of how to mend it", async () => {
    const warnings = takeWarnings();
    const { clients, isReceiving } = listen(refusal("28P01"), "notified");
    await vi.advanceTimersByTimeAsync(59_000);
    expect(clients).toHaveLength(1);
    expect(await isReceiving()).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);

    expect(await isReceiving()).toBe(true);
    expect(warnings).toEqual([
      "PostgresStorage gets no notifications from PostgreSQL, and looks for the writes of other processes ten times a second instead, which costs a query each time: PostgreSQL refused the login. Check the user and the password (28P01).",
    ]);
  });

  it("warns once for each reason, however often it is found, also by another connection", async () => {
    const warnings = takeWarnings();
    const { clients, stop, again } = listen("unnotified", "unnotified", refusal("28P01"), "unnotified");
    await untilMade(clients, 5);
    stop();
    again();
    await untilMade(clients, 7);

    expect(warnings).toEqual([
      expect.stringMatching(/a pooler in transaction mode stands between\. Connect to PostgreSQL itself, or .*session/),
      expect.stringContaining("PostgreSQL refused the login. Check the user and the password (28P01)."),
    ]);
  });

  it("connects again when the settings of the pool could not be used", async () => {
    const warnings = takeWarnings();
    let tries = 0;
    const pool = Object.assign(new EventEmitter(), {
      options: {},
      Client: class extends FakeClient {
        constructor() {
          super("silent");
          tries += 1;
          throw Object.assign(new Error("no such file: ca.pem"), { code: "ENOENT" });
        }
      },
    });
    listenOn(pool as unknown as PostgresPool, async () => {});
    await vi.advanceTimersByTimeAsync(1100);

    expect(tries).toBe(3);
    expect(warnings).toEqual([]);
  });

  it("cuts off a connection that is not made within 5 seconds, and makes another one", async () => {
    const { clients, isReceiving } = listen("silent", "notified");
    await vi.advanceTimersByTimeAsync(4900);
    expect(clients.map(({ isCutOff }) => isCutOff)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(700);

    expect(clients.map(({ isCutOff }) => isCutOff)).toEqual([true, false]);
    expect(await isReceiving()).toBe(true);
  });

  it("leaves no connection when it is stopped while it connects to a server that hangs", async () => {
    const { port, sockets } = await startSilentServer();
    const ends: Promise<unknown>[] = [];
    class Client extends pg.Client {
      constructor(options?: pg.ClientConfig) {
        super(options);
        ends.push(once(this, "end"));
      }
    }
    const pool = new pg.Pool({ Client, host: "127.0.0.1", port, user: "ann", password: "secret" });
    const { stop } = listenOn(pool, async () => {});
    await vi.waitFor(() => expect(sockets[0]?.bytesRead).toBeGreaterThan(0));
    stop();
    await Promise.all(ends);

    expect(ends).toHaveLength(1);
    await pool.end();
  });
});

import { EventEmitter } from "node:events";
import type { Connections, PostgresConnection, PostgresPool, SqlStatement } from "@troupe-internal/postgres";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it, vi } from "vitest";
import { ChangeListener } from "./change-listener.ts";

it("each change is told soon after it, by a notification or in place of one, whatever becomes of the connection, and none is left [async.wake-ups]", async () => {
  await checkInterleavings(listenToChanges, { seed: 38_704, numRuns: 45, maxSteps: 40, stepMs: 700, quietMs: 12_000 });
});

/** Milliseconds in which a change is told, and in which a statement is answered or given up. */
const soonMs = 300;
const answerMs = 5000;

/** A database with two channels, its connections, and those who listen. */
class Database {
  readonly clients: FakeClient[] = [];
  readonly held: HeldCalls;
  readonly #listeners = new Map<string, Listener>();
  readonly #listener: ChangeListener;

  constructor(held: HeldCalls) {
    this.held = held;
    const clients = this.clients;
    const create = (): FakeClient => {
      const client = new FakeClient(this);
      clients.push(client);
      return client;
    };
    const Client = function Client() {
      return create();
    };
    const pool = Object.assign(new EventEmitter(), { options: {}, Client });
    const notify = async ({ parameters: [channel, payload] }: SqlStatement): Promise<void> =>
      await held.hold("a notification", () => this.notify(String(channel), String(payload)));
    const connections = { useRepeatedly: async (work: (query: typeof notify) => unknown) => await work(notify) };
    this.#listener = new ChangeListener(pool as unknown as PostgresPool, connections as unknown as Connections);
  }

  get open(): FakeClient[] {
    return this.clients.filter(({ state }) => state !== "ended");
  }

  add(channel: string): void {
    if (this.#listeners.has(channel)) return;
    const own: Listener = { writtenAtMs: Infinity, stop: () => undefined };
    this.#listeners.set(channel, own);
    own.stop = this.#listener.add(channel, () => {
      this.held.check(this.#listeners.get(channel) === own, "one is told who has left");
      own.writtenAtMs = Infinity;
    });
  }

  remove(channel: string): void {
    this.#listeners.get(channel)?.stop();
    this.#listeners.delete(channel);
  }

  write(channel: string): void {
    const listener = this.#listeners.get(channel);
    if (listener !== undefined && listener.writtenAtMs === Infinity) listener.writtenAtMs = performance.now();
    this.notify(channel, "");
  }

  notify(channel: string, payload: string): void {
    for (const client of this.open) if (client.channels.has(channel)) client.emit("notification", { channel, payload });
  }

  /** Checks that every change was told that was long enough ago. */
  check(): void {
    // A channel of one who has just come is listened to once the server has answered.
    const mostMs = soonMs + (this.open.some(({ isAsked }) => isAsked) ? 2 * answerMs : 0);
    for (const [channel, { writtenAtMs }] of this.#listeners) {
      this.held.check(performance.now() - writtenAtMs <= mostMs, `a change of ${channel} is not told`);
    }
  }
}

type Listener = { writtenAtMs: number; stop: () => void };

/** A connection of which nothing goes on before the plan says so. */
class FakeClient extends EventEmitter implements PostgresConnection {
  state: "new" | "open" | "ended" = "new";
  isAsked = false;
  readonly channels = new Set<string>();
  readonly connection = { stream: { destroy: () => this.break() } };
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  async connect(): Promise<void> {
    await this.#ask("a connect", () => (this.state = "open"));
  }

  async query({ text }: { text: string }): Promise<void> {
    await this.#ask(text.split(" ")[0] ?? "", () => {
      for (const [, channel = ""] of text.matchAll(/listen (\w+)/g)) this.channels.add(channel);
    });
  }

  unref(): void {
    // No process waits for it.
  }

  async end(): Promise<void> {
    await this.#database.held.hold("an end", () => this.break(), { canFail: false });
  }

  /** Ends the connection at once. */
  break(): void {
    if (this.state === "ended") return;
    this.state = "ended";
    this.channels.clear();
    this.emit("end");
  }

  /** Waits for an answer, no longer than a client of pg does. */
  async #ask(name: string, work: () => unknown): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("Query read timeout")), answerMs);
    const lose = (): void => late.reject(new Error("Connection terminated"));
    this.once("end", lose);
    this.isAsked = name === "listen";
    try {
      const answer = this.#database.held.hold(name, () => (this.state === "ended" ? undefined : work()));
      await Promise.race([answer, late.promise]);
    } finally {
      this.isAsked = false;
      clearTimeout(timer);
      this.off("end", lose);
    }
  }
}

function listenToChanges(held: HeldCalls): Scene {
  const database = new Database(held);
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  return {
    operations: {
      "one listens to a": () => database.add("a"),
      "one listens to b": () => database.add("b"),
      "a change of a": () => database.write("a"),
      "a change of b": () => database.write("b"),
      "one leaves a": () => database.remove("a"),
      "the connection breaks": () => database.open.at(-1)?.break(),
    },
    always: () => database.check(),
    end: async () => {
      for (const channel of ["a", "b"]) database.add(channel);
      for (const channel of ["a", "b"]) database.write(channel);
      await new Promise((resolve) => setTimeout(resolve, 8000));
      held.check(database.open.length === 1, `${database.open.length} connections are open`);
      held.check(database.open[0]?.channels.has("a") === true, "nothing is listened to");
      database.write("a");
      await new Promise((resolve) => setTimeout(resolve, soonMs + 1));
      database.check();
      for (const channel of ["a", "b"]) database.remove(channel);
    },
    afterwards: () => {
      vi.restoreAllMocks();
      expect(database.open.length, "connections that are left").toBe(0);
    },
  };
}

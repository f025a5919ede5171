import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { withTimeout } from "@troupe/core/kit";
import { createClient, endClient, sqlStateOf, toPostgresFailure } from "@troupe-internal/postgres";
import type { Connections, PostgresConnection, PostgresPool } from "@troupe-internal/postgres";

/**
 * Milliseconds to wait for an answer of the server, between two checks of the connection, and for a notification that
 * this process has sent itself.
 */
const answerTimeoutMs = 5000;
const checkMs = 10_000;
const ownNotificationMs = 1000;

/** Milliseconds before a connection is opened again that was lost or received no notifications. */
const lostPauseMs = 500;
const unnotifiedPauseMs = 60_000;

/**
 * SQLSTATE classes of temporary failures: lost connection, insufficient resources (such as connections), shutdown of
 * the server.
 */
const passingClasses = ["08", "53", "57"];

/** Reasons for missing notifications, each with advice. All other reasons are errors of the server. */
const noClient = "the given pool has no Client and options, as those of pg have. Give a Pool of pg.";
const poolerBetween =
  "a pooler in transaction mode stands between. Connect to PostgreSQL itself, or through a pooler in session mode.";

type Init = {
  pool: PostgresPool;
  connections: Connections;
  /** Returns the channels to listen to. */
  channels: () => readonly string[];
  /** Called when a channel may have been notified. */
  onChange: (channel: string) => void;
  /** Called when no notifications arrive, with the reason and advice. */
  onUnnotified: (reason: string) => void;
};

/** The end of a connection: it was lost, or cannot receive notifications, for the given reason. */
type Outcome = "lost" | { readonly unnotified: string };

/**
 * A connection beside a pool that listens to channels. It is opened again whenever it is lost, and does not keep the
 * process alive.
 */
export class ListeningConnection {
  /** True while this connection receives notifications. */
  isReceiving = false;
  readonly #init: Init;
  readonly #closed = new AbortController();
  #client: PostgresConnection | undefined;
  /** Gives up the open connection, so that another connection is opened. */
  #lose: () => void = () => {};

  constructor(init: Init) {
    this.#init = init;
    void this.#run();
  }

  /** Also listens to this channel. If the connection is not open yet, it will listen to all channels when it is. */
  listen(channel: string): void {
    const client = this.#client;
    if (client === undefined) return;
    // The whole connection is given up on failure: the other channels would still work, so the failure of this channel
    // would stay unnoticed.
    void this.#listenTo(client, [channel]).catch(() => this.#client === client && this.#lose());
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed.abort();
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const outcome = await this.#listenUntilLost();
      if (outcome !== "lost") this.#init.onUnnotified(outcome.unnotified);
      await this.#pause(outcome === "lost" ? lostPauseMs : unnotifiedPauseMs);
    }
  }

  /** Connects and listens until the connection is lost or closed. Never rejects. */
  async #listenUntilLost(): Promise<Outcome> {
    const over = Promise.withResolvers<Outcome>();
    const lose = (): void => over.resolve("lost");
    this.#lose = lose;
    this.#closed.signal.addEventListener("abort", lose);
    let client: PostgresConnection | undefined;
    try {
      client = createClient(this.#init.pool);
      if (client === undefined) return { unnotified: noClient };
      client.once("end", lose);
      // The listener does nothing, because an error also ends the connection, and the end is handled.
      client.on("error", () => {});
      return await Promise.race([over.promise, this.#listenOn(client)]);
    } catch (error) {
      return toOutcome(error);
    } finally {
      this.#closed.signal.removeEventListener("abort", lose);
      this.isReceiving = false;
      if (client !== undefined) endClient(client, { isConnected: this.#client === client });
      this.#client = undefined;
    }
  }

  async #listenOn(client: PostgresConnection): Promise<Outcome> {
    await connect(client);
    if (this.#closed.signal.aborted) return "lost";
    this.#client = client;
    client.on("notification", ({ channel }) => this.#init.onChange(channel));
    await this.#listenTo(client, this.#init.channels());
    const isReceiving = await this.#receivesOwnNotification(client);
    if (this.#closed.signal.aborted || this.#client !== client) return "lost";
    if (!isReceiving) return { unnotified: poolerBetween };
    this.isReceiving = true;
    // The connection is checked regularly: if a network dropped it silently, it would never end by itself.
    while (await this.#pause(checkMs)) await client.query({ text: "select 1", query_timeout: answerTimeoutMs });
    return "lost";
  }

  async #listenTo(client: PostgresConnection, channels: readonly string[]): Promise<void> {
    const text = channels.map((channel) => `listen ${channel}`).join(";");
    await client.query({ text, query_timeout: answerTimeoutMs });
    // Writes before this moment caused no notification here, so all channels count as changed.
    for (const channel of channels) this.#init.onChange(channel);
  }

  /**
   * Returns true if this connection receives a notification that the pool sends. Behind a pooler that assigns server
   * connections per transaction, "listen" succeeds, but no notification ever arrives.
   */
  async #receivesOwnNotification(client: PostgresConnection): Promise<boolean> {
    const [channel] = this.#init.channels();
    const token = randomUUID();
    let isReceived = channel === undefined;
    const received = Promise.withResolvers<void>();
    client.on("notification", ({ payload }) => {
      if (payload !== token) return;
      isReceived = true;
      received.resolve();
    });
    const statement = { sql: "select pg_notify($1, $2)", parameters: [channel, token] };
    if (!isReceived) await this.#init.connections.useRepeatedly(async (query) => await query(statement));
    await Promise.race([received.promise, this.#pause(ownNotificationMs)]);
    // A busy process may have received the notification without reading it: let the event loop read the sockets.
    if (!isReceived) for (let round = 0; round < 2; round += 1) await turn();
    return isReceived;
  }

  /** Waits, and returns true if the connection has not been closed by its owner. Does not keep the process alive. */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#closed;
    if (signal.aborted) return false;
    const over = Promise.withResolvers<void>();
    const end = (): void => over.resolve();
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener("abort", end);
    await over.promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    return !signal.aborted;
  }
}

/** Connects to PostgreSQL within the time limit for an answer. The attempt does not keep the process alive. */
async function connect(client: PostgresConnection): Promise<void> {
  const connecting = client.connect();
  client.unref();
  const onTimeout = (): never => {
    throw new Error("The server did not answer.");
  };
  await withTimeout(connecting, { timeoutMs: answerTimeoutMs, onTimeout, unref: true });
  // `unref` is called again, because a server with several addresses may be reached through another socket.
  client.unref();
}

function toOutcome(error: unknown): Outcome {
  const state = sqlStateOf(error);
  const isPassing = state === undefined || passingClasses.includes(state.slice(0, 2));
  return isPassing ? "lost" : { unnotified: toPostgresFailure(error).message };
}

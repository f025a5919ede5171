import { randomUUID } from "node:crypto";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { createClient, sqlStateOf } from "@troupe-internal/postgres";
import type { Connections, PostgresConnection, PostgresPool } from "@troupe-internal/postgres";

/** Milliseconds for an answer on the connection, between two checks of it, and for a notification of its own. */
const answerTimeoutMs = 5000;
const checkMs = 10_000;
const echoTimeoutMs = 1000;

/** Milliseconds until a connection is made anew that was lost, or on which no notifications come. */
const lostPauseMs = 500;
const deafPauseMs = 60_000;

type Init = {
  pool: PostgresPool;
  connections: Connections;
  /** Returns the channels to listen to. */
  channels: () => readonly string[];
  /** Called when a channel may have been notified. */
  onChange: (channel: string) => void;
  /** Called with the reason when no notifications come. */
  onDeaf: (reason: string) => void;
};

/** Why a connection does not listen any more: it is gone, or no notifications come on it, for a reason. */
type Ending = "lost" | { readonly deaf: string };

/**
 * A connection beside a pool that listens to channels. It is made anew whenever it is lost, and does not keep the process
 * alive.
 */
export class ListeningConnection {
  /** True while notifications come. */
  isHearing = false;
  readonly #init: Init;
  readonly #closed = new AbortController();
  #client: PostgresConnection | undefined;

  constructor(init: Init) {
    this.#init = init;
    void this.#run();
  }

  /** Listens to one more channel. */
  listen(channel: string): void {
    if (this.#client !== undefined) void this.#listenTo(this.#client, [channel]).catch(() => {});
  }

  /** Ends the connection. */
  close(): void {
    this.#closed.abort();
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const ending = await this.#hear();
      if (ending !== "lost") this.#init.onDeaf(ending.deaf);
      await this.#pause(ending === "lost" ? lostPauseMs : deafPauseMs);
    }
  }

  /** Listens until the connection is lost or closed. Never rejects. */
  async #hear(): Promise<Ending> {
    const client = createClient(this.#init.pool);
    if (client === undefined) return { deaf: "the given pool has no Client and options, as those of pg have" };
    const ended = new Promise<void>((resolve) => client.once("end", resolve));
    // Both are told by the end of the connection, too.
    client.on("error", () => {});
    try {
      await client.connect();
      client.unref();
      this.#client = client;
      return await Promise.race([this.#hearOn(client), ended.then(() => "lost" as const)]);
    } catch (error) {
      const state = sqlStateOf(error);
      return state === undefined || state.startsWith("57") ? "lost" : { deaf: `it refused to listen (${state})` };
    } finally {
      this.isHearing = false;
      this.#client = undefined;
      void client.end().catch(() => {});
    }
  }

  async #hearOn(client: PostgresConnection): Promise<Ending> {
    client.on("notification", ({ channel }) => this.#init.onChange(channel));
    await this.#listenTo(client, this.#init.channels());
    const isHearing = await this.#hearsItself(client);
    if (this.#closed.signal.aborted || this.#client !== client) return "lost";
    if (!isHearing) return { deaf: "a pooler in transaction mode stands between" };
    this.isHearing = true;
    // A connection that a network dropped in silence never ends by itself.
    while (await this.#pause(checkMs)) await client.query({ text: "select 1", query_timeout: answerTimeoutMs });
    return "lost";
  }

  async #listenTo(client: PostgresConnection, channels: readonly string[]): Promise<void> {
    const text = channels.map((channel) => `listen ${channel}`).join(";");
    await client.query({ text, query_timeout: answerTimeoutMs });
    // What was written before.
    for (const channel of channels) this.#init.onChange(channel);
  }

  /**
   * Tells if a notification that the pool sends arrives. Behind a pooler that lends a server's connection for one transaction,
   * "listen" succeeds, and nothing comes.
   */
  async #hearsItself(client: PostgresConnection): Promise<boolean> {
    const [channel] = this.#init.channels();
    const token = randomUUID();
    let isHeard = channel === undefined;
    const heard = Promise.withResolvers<void>();
    client.on("notification", ({ payload }) => {
      if (payload !== token) return;
      isHeard = true;
      heard.resolve();
    });
    const statement = { sql: "select pg_notify($1, $2)", parameters: [channel, token] };
    if (!isHeard) await this.#init.connections.useRepeatedly(async (query) => await query(statement));
    await Promise.race([heard.promise, this.#pause(echoTimeoutMs)]);
    // It may lie unread in the socket of a process that was busy.
    if (!isHeard) for (let round = 0; round < 2; round += 1) await turn();
    return isHeard;
  }

  /** Waits, and tells if the connection is still wanted then. Does not keep the process alive. */
  async #pause(ms: number): Promise<boolean> {
    await sleep(ms, undefined, { ref: false, signal: this.#closed.signal }).catch(() => {});
    return !this.#closed.signal.aborted;
  }
}

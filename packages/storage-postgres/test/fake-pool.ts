import { EventEmitter } from "node:events";
import type { Connections, PostgresConnection, PostgresPool, SqlStatement } from "@troupe-internal/postgres";
import { onTestFinished } from "vitest";
import { ListeningConnection } from "../src/listening-connection.ts";

/** The behaviour of one connection of the fake pool. By default it opens and answers at once. */
type Behavior = { connect?: () => Promise<unknown>; query?: (text: string) => Promise<unknown> };

/** A connection that notes its calls, and refuses queries once it is ended, as that of pg. */
class FakeClient extends EventEmitter implements PostgresConnection {
  readonly calls: unknown[] = [];
  readonly connection = { stream: { destroy: () => this.calls.push("destroy") } };
  readonly #behavior: Behavior;

  constructor(behavior: Behavior) {
    super();
    this.#behavior = behavior;
  }

  async connect(): Promise<void> {
    this.calls.push("connect");
    await this.#behavior.connect?.();
    this.calls.push("connected");
  }

  async query(config: { text: string; query_timeout: number }): Promise<void> {
    this.calls.push(config);
    if (this.calls.includes("end")) throw new Error("Client was closed and is not queryable");
    await this.#behavior.query?.(config.text);
  }

  unref(): void {
    this.calls.push("unref");
  }

  async end(): Promise<void> {
    this.calls.push("end");
  }
}

/** Sends a notification to a connection. */
export type Notify = (client: FakeClient, message: { channel: string; payload: string }) => Promise<void> | void;

/** Delivers a notification at once. */
export const send: Notify = (client, message) => void client.emit("notification", message);

/** Opens a connection to a fake pool. `notify` sends the notifications of the pool to the newest client. */
export function openListening({ channels = ["a"], behaviors = [{}] as Behavior[], notify = send, parts = {} } = {}) {
  const clients: FakeClient[] = [];
  const statements: SqlStatement[] = [];
  const changed: string[] = [];
  const reasons: string[] = [];
  const Client = class extends FakeClient {
    constructor() {
      super(behaviors[clients.length] ?? {});
      clients.push(this);
    }
  };
  const query = async (statement: SqlStatement): Promise<void> => {
    statements.push(statement);
    const [channel, payload] = statement.parameters;
    const client = clients.at(-1);
    if (client !== undefined) await notify(client, { channel: String(channel), payload: String(payload) });
  };
  const connections = { useRepeatedly: async (work: (send: typeof query) => unknown) => await work(query) };
  const connection = new ListeningConnection({
    pool: Object.assign(new EventEmitter(), { options: {}, Client, ...parts }) as unknown as PostgresPool,
    connections: connections as unknown as Connections,
    channels: () => channels,
    onChange: (channel) => changed.push(channel),
    onUnnotified: (reason) => reasons.push(reason),
  });
  onTestFinished(() => connection.close());
  return { connection, clients, statements, changed, reasons };
}

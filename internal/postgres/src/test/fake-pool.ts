import { EventEmitter } from "node:events";
import type { PostgresClient, PostgresPool } from "../postgres-pool.ts";

/** A query of a client: its text, its parameters, and the milliseconds for an answer. */
export type Asked = { text: string; values: unknown[]; query_timeout?: number };

type Answer = Awaited<ReturnType<PostgresClient["query"]>>;

/** A connection of a `FakePool` that answers as the test says. It records its queries and how it was released. */
export class FakeClient extends EventEmitter implements PostgresClient {
  readonly asked: Asked[] = [];
  /** The arguments of `release`, with the number of listeners at that moment. */
  readonly released: [end: boolean | undefined, listeners: number][] = [];
  answer: (asked: Asked) => Answer | Promise<Answer> = () => ({ rows: [] });

  async query(asked: Asked): Promise<Answer> {
    this.asked.push(asked);
    return await this.answer(asked);
  }

  release(end?: boolean): void {
    this.released.push([end, this.listenerCount("error")]);
  }
}

/** A pool that lends the test's clients one after the other, and then always the last one. */
export class FakePool extends EventEmitter implements PostgresPool {
  connects = 0;
  ends = 0;
  readonly #clients: readonly FakeClient[];

  constructor(...clients: FakeClient[]) {
    super();
    this.#clients = clients;
  }

  async connect(): Promise<PostgresClient> {
    const client = this.#clients[Math.min(this.connects, this.#clients.length - 1)];
    this.connects += 1;
    if (client === undefined) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    return await Promise.resolve(client);
  }

  async end(): Promise<void> {
    this.ends += 1;
    await Promise.resolve();
  }
}

/** Makes an error of the server with an SQLSTATE. */
export function serverError(code: string): Error {
  return Object.assign(new Error(`server error ${code}`), { code, severity: "ERROR" });
}

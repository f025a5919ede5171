import pg from "pg";
import { onTestFinished } from "vitest";
import type { PgVectorPool } from "../src/index.ts";
import { serverUrl } from "./test-schemas.ts";

/** A statement as it was sent to the server. */
export type SentStatement = { text: string; values: unknown[] };

/** A pool that keeps every statement that is sent through it. It is closed after the test. */
export class RecordingPool implements PgVectorPool {
  readonly sent: SentStatement[] = [];
  /** Runs before each statement is sent. */
  beforeSending: (text: string) => Promise<void> = async () => {};
  readonly #pool: pg.Pool;

  constructor(config: pg.PoolConfig = {}) {
    this.#pool = new pg.Pool({ connectionString: serverUrl, ...config });
    onTestFinished(async () => await this.#pool.end());
  }

  async connect(): ReturnType<PgVectorPool["connect"]> {
    const client = await this.#pool.connect();
    return {
      query: async (statement) => {
        this.sent.push({ text: statement.text, values: statement.values });
        await this.beforeSending(statement.text);
        return await client.query(statement);
      },
      on: (name, listener) => client.on(name, listener),
      off: (name, listener) => client.off(name, listener),
      release: (end) => client.release(end),
    };
  }

  on(name: "error", listener: (error: Error) => void): unknown {
    return this.#pool.on(name, listener);
  }

  off(name: "error", listener: (error: Error) => void): unknown {
    return this.#pool.off(name, listener);
  }

  /** Returns the plan of the last statement with parameters, as the server chooses it in its transaction. */
  async explainLast(): Promise<string> {
    const index = this.sent.findLastIndex(({ values }) => values.length > 0);
    const beginning = this.sent.slice(0, index).findLast(({ text }) => text.startsWith("begin"));
    const { text, values } = this.sent[index] ?? { text: "", values: [] };
    const client = await this.#pool.connect();
    try {
      await client.query(beginning?.text ?? "begin");
      const { rows } = await client.query<Record<string, string>>({ text: `explain ${text}`, values });
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    } finally {
      client.release(true);
    }
  }
}

import pg from "pg";
import { childrenCpuTimeMs, cpuTimeMs, parentOf } from "../cpu-time.ts";

/** The work of a PostgreSQL on this machine: the processor time of all its processes, and its transactions. */
export class PostgresMeter {
  readonly #client: pg.Client;
  readonly #mainProcess: number;

  private constructor(client: pg.Client, mainProcess: number) {
    this.#client = client;
    this.#mainProcess = mainProcess;
  }

  /** Connects to the server. */
  static async open(url: string): Promise<PostgresMeter> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    return new PostgresMeter(client, parentOf(rows[0]?.pid ?? 0));
  }

  /** Returns the processor time of the server's processes in milliseconds. */
  cpuTimeMs(): number {
    return cpuTimeMs(this.#mainProcess) + childrenCpuTimeMs(this.#mainProcess);
  }

  /** Returns the number of transactions that the server has counted. Each connection counts about once a second. */
  async transactions(): Promise<number> {
    const { rows } = await this.#client.query<{ count: string }>(
      "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
    );
    return Number(rows[0]?.count);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

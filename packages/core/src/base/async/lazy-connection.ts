import { TroupeError } from "../errors/troupe-error.ts";

/** A database connection that is opened once, on first use, and closed by `close` after all running uses have ended. */
export class LazyConnection<Connection extends { close(): Promise<void> }> {
  readonly #name: string;
  readonly #open: () => Promise<Connection>;
  #opened: Promise<Connection> | undefined;
  #closed: Promise<void> | undefined;
  #running = 0;
  #onIdle: () => void = () => {};

  /** Makes a connection that opens on first use. `name` begins the message of the error after `close`. */
  constructor(name: string, open: () => Promise<Connection>) {
    this.#name = name;
    this.#open = open;
  }

  /** Throws `storage_unavailable` if the connection was closed. */
  checkOpen(): void {
    if (this.#closed !== undefined) throw new TroupeError("storage_unavailable", `${this.#name} has been closed.`);
  }

  /**
   * Runs `work` with the connection, which the first use opens. If it cannot be opened, the next use tries again.
   * Throws `storage_unavailable` after `close`.
   */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    this.checkOpen();
    this.#running += 1;
    try {
      return await work(await this.#connect());
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle();
    }
  }

  /** Waits for running uses, then closes the connection. Later uses are rejected. */
  async close(): Promise<void> {
    this.#closed ??= this.#closeWhenIdle();
    await this.#closed;
  }

  #connect(): Promise<Connection> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #closeWhenIdle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    const connection = await this.#opened;
    await connection?.close();
  }
}

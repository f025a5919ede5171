import { TroupeError } from "@troupe/core";

/** Opened by its first use, once however many come at the same time, and closed when the last that is under way has ended. */
export class LazyConnection<Connection extends { close(): Promise<void> }> {
  readonly #name: string;
  readonly #open: () => Promise<Connection>;
  #opened: Promise<Connection> | undefined;
  #closed: Promise<void> | undefined;
  #underWay = 0;
  #whenIdle: () => void = () => {};

  /** The name begins the sentence of the error that says it was closed. */
  constructor(name: string, open: () => Promise<Connection>) {
    this.#name = name;
    this.#open = open;
  }

  /** Does the work with the connection. What could not be opened is tried again by the next use. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) throw new TroupeError("storage_unavailable", `${this.#name} has been closed.`);
    this.#underWay += 1;
    try {
      return await work(await this.#connect());
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenIdle();
    }
  }

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
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    const connection = await this.#opened;
    await connection?.close();
  }
}

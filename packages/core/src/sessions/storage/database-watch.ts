import type { LazyConnection } from "../../base/async/lazy-connection.ts";
import type { RecordDatabase } from "./record-database.ts";

/** Milliseconds to wait before a database that could not be opened is tried again. */
const watchAgainMs = 1000;

/** Watches a database for writes of other connections, until the watch is ended. */
export class DatabaseWatch {
  readonly #connection: LazyConnection<RecordDatabase>;
  readonly #onChange: () => void;
  #stop: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(connection: LazyConnection<RecordDatabase>, onChange: () => void) {
    this.#connection = connection;
    this.#onChange = onChange;
    void this.#begin();
  }

  /** Ends the watch, even if it has not begun yet. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Begins the watch after opening the database, and retries while it cannot be opened. */
  async #begin(): Promise<void> {
    try {
      await this.#connection.use(async (database) => {
        if (this.#isOver) return;
        this.#stop = database.watch?.(this.#onChange);
        // Reports changes that other connections made before the watch began.
        this.#onChange();
      });
    } catch {
      if (!this.#isOver) this.#timer = setTimeout(() => void this.#begin(), watchAgainMs).unref();
    }
  }
}

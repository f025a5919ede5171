import type { StorageDriver } from "@troupe/core";
import { TroupeError } from "@troupe/core";

const writers = 20;

type AppendingDriver = StorageDriver & Required<Pick<StorageDriver, "append">>;

/** Writers that append without a pause, each to its own prefix, and remember confirmed appends. */
export class AppendLoad {
  /** The codes of failed appends. */
  readonly codes = new Set<string>();
  readonly #storage: AppendingDriver;
  /** The keys of confirmed texts, by writer. */
  readonly #acknowledged: Map<string, string>[] = [];
  readonly #writing: Promise<unknown>;
  readonly #over = new AbortController();

  constructor(storage: AppendingDriver) {
    this.#storage = storage;
    this.#writing = Promise.all(Array.from({ length: writers }, async (_, writer) => await this.#write(writer)));
  }

  /** The number of confirmed appends. */
  get acknowledged(): number {
    return this.#acknowledged.reduce((total, { size }) => total + size, 0);
  }

  /** Resolves when every writer has had another append confirmed. */
  async untilAllWrite(): Promise<void> {
    const before = this.#acknowledged.map(({ size }) => size);
    const isWaiting = ({ size }: { size: number }, writer: number): boolean => size <= (before[writer] ?? 0);
    while (this.#acknowledged.some(isWaiting)) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Ends the load, and returns the confirmed texts that are not stored exactly once under their key. */
  async wronglyStored(): Promise<string[]> {
    this.#over.abort();
    await this.#writing;
    const wrong: string[] = [];
    for (const [writer, acknowledged] of this.#acknowledged.entries()) {
      const stored = await this.#storage.list("turns", `${writer}/`);
      for (const [text, key] of acknowledged) {
        const places = stored.filter(({ value }) => value === text);
        if (places.length !== 1 || places[0]?.key !== key) wrong.push(text);
      }
    }
    return wrong;
  }

  async #write(writer: number): Promise<void> {
    const acknowledged = new Map<string, string>();
    this.#acknowledged[writer] = acknowledged;
    for (let turn = 0; !this.#over.signal.aborted; turn += 1) {
      try {
        const text = `${writer}: turn ${turn}`;
        acknowledged.set(text, (await this.#storage.append("turns", `${writer}/`, text)).key);
      } catch (error) {
        this.codes.add(TroupeError.is(error) ? error.code : String(error));
      }
    }
  }
}

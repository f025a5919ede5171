import { TroupeError } from "@troupe/core";
import type { MongoFailures } from "./mongo-failure.ts";
import type { OpenCollection } from "./open-collection.ts";

/** The one connection of a storage: opened by the first call, once however many come at the same time. */
export class MongoConnection {
  readonly #open: () => Promise<OpenCollection>;
  readonly #failures: MongoFailures;
  readonly #underWay = new Set<Promise<unknown>>();
  #opened: Promise<OpenCollection> | undefined;
  #closed: Promise<void> | undefined;

  constructor(open: () => Promise<OpenCollection>, failures: MongoFailures) {
    this.#open = open;
    this.#failures = failures;
  }

  /** Does the work with the collection. What could not be opened is tried again by the next call. */
  async use<Result>(work: (collection: OpenCollection) => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined)
      throw new TroupeError("storage_unavailable", "The MongoDB storage has been closed.");
    const result = this.#do(work);
    this.#underWay.add(result);
    try {
      return await result;
    } catch (error) {
      throw this.#failures.from(error);
    } finally {
      this.#underWay.delete(result);
    }
  }

  /** Waits for calls under way, and closes what was opened. */
  async close(): Promise<void> {
    this.#closed ??= this.#closeWhenIdle();
    await this.#closed;
  }

  async #do<Result>(work: (collection: OpenCollection) => Promise<Result>): Promise<Result> {
    return await work(await this.#collection());
  }

  #collection(): Promise<OpenCollection> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #closeWhenIdle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    const collection = await this.#opened;
    await collection?.close();
  }
}

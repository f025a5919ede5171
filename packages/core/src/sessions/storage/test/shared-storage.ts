import type { InMemoryStorage } from "../in-memory-storage.ts";
import type { Json } from "../json.ts";
import type { AppendOptions, Listing, ListOptions, StorageDriver, StorageEntry, Write } from "../storage-driver.ts";
import { sleep } from "../../../base/async/sleep.ts";

/**
 * Connection of one process to a shared storage: two of them over one storage stand for two processes. A stopped process
 * sends and receives nothing; one that never goes on is dead.
 */
export class SharedStorage implements StorageDriver {
  /** Names of the called methods, in order. */
  readonly calls: string[] = [];
  readonly #storage: InMemoryStorage;
  readonly #latencyMs: () => number;
  #running: Promise<void> | undefined;
  #goOn = () => {};
  #stopsAt: { method: string; left: number } | undefined;

  constructor(storage: InMemoryStorage, latencyMs: () => number = () => 0) {
    this.#storage = storage;
    this.#latencyMs = latencyMs;
  }

  get isStopped(): boolean {
    return this.#running !== undefined;
  }

  /** Stops the process. */
  stop(): void {
    if (this.isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running = promise;
    this.#goOn = resolve;
  }

  /** Stops the process before its n-th call of this method from now on. */
  stopAt(method: string, occurrence = 1): void {
    this.#stopsAt = { method, left: occurrence };
  }

  /** Lets a stopped process go on where it stopped. */
  goOn(): void {
    this.#running = undefined;
    this.#stopsAt = undefined;
    this.#goOn();
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    return await this.#call("get", () => this.#storage.get(namespace, key));
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    await this.#call("set", () => this.#storage.set(namespace, key, value));
  }

  async delete(namespace: string, key: string): Promise<void> {
    await this.#call("delete", () => this.#storage.delete(namespace, key));
  }

  async list(namespace: string, prefix?: string, options?: ListOptions): Promise<StorageEntry[]> {
    return await this.#call("list", () => this.#storage.list(namespace, prefix, options));
  }

  async listMany(listings: readonly Listing[]): Promise<StorageEntry[][]> {
    return await this.#call("listMany", () => this.#storage.listMany(listings));
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async append(namespace: string, keyPrefix: string, value: Json, options?: AppendOptions) {
    return await this.#call("append", () => this.#storage.append(namespace, keyPrefix, value, options));
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    return await this.#call("compareAndSet", () => this.#storage.compareAndSet(namespace, key, expected, next));
  }

  async transaction(writes: readonly Write[]): Promise<void> {
    await this.#call("transaction", () => this.#storage.transaction(writes));
  }

  async insertAll(writes: readonly { namespace: string; key: string; value: Json }[]): Promise<boolean[]> {
    return await this.#call("insertAll", () => this.#storage.insertAll(writes));
  }

  watch(namespace: string, listener: () => void): () => void {
    return this.#storage.watch(namespace, listener);
  }

  async close(): Promise<void> {
    await this.#storage.close();
  }

  async #call<Result>(name: string, call: () => Promise<Result>): Promise<Result> {
    this.calls.push(name);
    if (name === this.#stopsAt?.method && --this.#stopsAt.left === 0) this.stop();
    await this.#pass();
    const outcome = await call().then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error;
      },
    );
    await this.#pass();
    return outcome();
  }

  async #pass(): Promise<void> {
    const latencyMs = this.#latencyMs();
    if (latencyMs > 0) await sleep(latencyMs);
    while (this.#running !== undefined) await this.#running;
  }
}

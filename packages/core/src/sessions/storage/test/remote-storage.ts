import { InMemoryStorage } from "../in-memory-storage.ts";
import type { Listing, StorageDriver } from "../storage-driver.ts";

/** A storage that other processes may write to, for all that a service knows, and what it is asked for. */
export class RemoteStorage {
  /** The storage as another process has it. */
  readonly inner: InMemoryStorage;
  /** The storage as the process under test has it. */
  readonly driver: StorageDriver;
  /** The requests for records of logs: the number of listings of each. */
  readonly requests: number[] = [];
  /** Called before each of these requests. */
  onRequest: () => Promise<void> | void = () => {};
  watches = 0;
  readonly #listeners = new Set<() => void>();

  /** @param members members of the driver to replace; `undefined` takes one away */
  constructor(
    members: { [Name in keyof StorageDriver]?: StorageDriver[Name] | undefined } = {},
    inner = new InMemoryStorage(),
  ) {
    this.inner = inner;
    const own: Partial<StorageDriver> = {
      list: async (namespace, prefix, options) => {
        if (namespace === "run-log") await this.#note(1);
        return await this.inner.list(namespace, prefix, options);
      },
      listMany: async (listings: readonly Listing[]) => {
        await this.#note(listings.length);
        return await this.inner.listMany(listings);
      },
      watch: (_namespace, listener) => {
        this.watches += 1;
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    const instead = { ...own, ...members };
    this.driver = new Proxy(this.inner, {
      // Not one in memory.
      getPrototypeOf: () => Object.prototype,
      has: (target, name) => (Object.hasOwn(instead, name) ? Reflect.get(instead, name) !== undefined : name in target),
      get: (target, name) => {
        if (Object.hasOwn(instead, name)) return Reflect.get(instead, name) as unknown;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Gives a hint to all listeners. */
  hint(): void {
    for (const listener of this.#listeners) listener();
  }

  async #note(listings: number): Promise<void> {
    this.requests.push(listings);
    await this.onRequest();
  }
}

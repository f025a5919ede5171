import { InMemoryStorage } from "@troupe/core";
import type { Json } from "@troupe/core";
import type { AppendOptions, ListOptions } from "@troupe/core/storage";
import { describe, expect, it } from "vitest";
import { checkStorageModel } from "./check-storage-model.ts";

/** Drivers with mistakes that only a sequence of calls, a rare value or a rare key shows. */
const wrong: Record<string, () => InMemoryStorage> = {
  "loses NUL in strings": () =>
    new (class extends InMemoryStorage {
      override async set(namespace: string, key: string, value: Json) {
        await super.set(namespace, key, typeof value === "string" ? value.replaceAll("\0", "") : value);
      }
    })(),
  "appends without checking the lease": () =>
    new (class extends InMemoryStorage {
      override async append(namespace: string, keyPrefix: string, value: Json) {
        return await super.append(namespace, keyPrefix, value);
      }
    })(),
  "compares the order of members": () =>
    new (class extends InMemoryStorage {
      // oxlint-disable-next-line max-params -- the contract's shape
      override async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null) {
        const isSame = JSON.stringify(await this.get(namespace, key)) === JSON.stringify(expected ?? null);
        return isSame && (await super.compareAndSet(namespace, key, expected, next));
      }
    })(),
  "includes the key of `after` in a reversed list": () =>
    new (class extends InMemoryStorage {
      override async list(namespace: string, prefix = "", { after, ...options }: ListOptions = {}) {
        if (after === undefined || options.reverse !== true)
          return await super.list(namespace, prefix, { ...options, ...(after !== undefined && { after }) });
        return await super.list(namespace, prefix, { ...options, after: `${after}\u0001` });
      }
    })(),
  "numbers from 1 again after a key that is nearly a number": () =>
    new (class extends InMemoryStorage {
      // oxlint-disable-next-line max-params -- the contract's shape
      override async append(namespace: string, keyPrefix: string, value: Json, options?: AppendOptions) {
        const keys = (await this.list(namespace, keyPrefix)).map(({ key }) => key.slice(keyPrefix.length));
        if (!/[^\d]$/.test(keys.findLast((key) => key.length === 12) ?? ""))
          return await super.append(namespace, keyPrefix, value, options);
        const key = `${keyPrefix}000000000001`;
        await this.set(namespace, key, value);
        return { key, seq: 1 };
      }
    })(),
  "treats % in a prefix as a wildcard": () =>
    new (class extends InMemoryStorage {
      override async list(namespace: string, prefix?: string, options?: ListOptions) {
        return await super.list(namespace, prefix?.replaceAll("%", ""), options);
      }
    })(),
  "applies the writes of a transaction in another order": () =>
    new (class extends InMemoryStorage {
      override async transaction(writes: Parameters<InMemoryStorage["transaction"]>[0]) {
        await super.transaction(writes.toReversed());
      }
    })(),
};

describe("checkStorageModel", () => {
  it("finds nothing wrong with the model itself", async () => {
    await expect(checkStorageModel({ open: () => new InMemoryStorage() })).resolves.toBeUndefined();
  });

  it.each(Object.entries(wrong))("finds a driver that %s", async (_, open) => {
    await expect(checkStorageModel({ open, numRuns: 100 })).rejects.toThrow("Property failed");
  });
});

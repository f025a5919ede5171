import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { MemoryStorages } from "./memory-storages.ts";

const create = () => new InMemoryStorage();

describe("MemoryStorages", () => {
  it("is the memory's own storage alone, also when an agent binds another", () => {
    const [own, other] = [create(), create()];
    const storages = new MemoryStorages(own, create);
    storages.bind(other);

    expect(storages.all).toEqual([own]);
    expect(storages.forAgent(other)).toBe(own);
  });

  it("has each agent's storage once, in the order in which they were bound", () => {
    const [first, second] = [create(), create()];
    const storages = new MemoryStorages(undefined, create);
    for (const driver of [first, second, first]) storages.bind(driver);

    expect(storages.all).toHaveLength(2);
    expect([storages.all[0], storages.all[1]].map((driver) => driver === first)).toEqual([true, false]);
    expect(storages.forAgent(second)).toBe(second);
    expect(storages.forAgent(undefined)).toBe(first);
  });

  it("creates one, once, when no agent binds any, and keeps it behind those that are bound later", () => {
    const storages = new MemoryStorages(undefined, create);
    const [created] = storages.all;
    expect(storages.all[0]).toBe(created);
    const bound = create();
    storages.bind(bound);

    expect(storages.all[0]).toBe(bound);
    expect(storages.all[1]).toBe(created);
  });

  it("creates none when an agent's storage is bound before the first use", () => {
    const storages = new MemoryStorages(undefined, () => expect.unreachable());
    storages.bind(create());

    expect(storages.all).toHaveLength(1);
  });

  it("refuses an object that is not a driver", () => {
    const storages = new MemoryStorages(undefined, create);

    expect(() => storages.bind({} as StorageDriver)).toThrow("storage must be a StorageDriver");
  });
});

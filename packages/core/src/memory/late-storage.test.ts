import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { LateStorage } from "./late-storage.ts";

const create = () => new InMemoryStorage();

describe("LateStorage", () => {
  it("is the memory's own, also when an agent binds another", () => {
    const own = create();
    const storage = new LateStorage("Memory", own, create);
    storage.bind(create());

    expect(storage.driver).toBe(own);
  });

  it("is the one that its agents share", () => {
    const shared = create();
    const storage = new LateStorage("Memory", undefined, create);
    storage.bind(shared);
    storage.bind(shared);

    expect(storage.driver).toBe(shared);
  });

  it("creates one, once, when no agent binds any", () => {
    const storage = new LateStorage("Memory", undefined, create);

    expect(storage.driver).toBe(storage.driver);
  });

  it("refuses a second one, and one that is bound after the first use", () => {
    const bound = new LateStorage("Memory", undefined, create);
    bound.bind(create());
    const used = new LateStorage("Memory", undefined, create);
    expect(used.driver).toBeDefined();

    for (const storage of [bound, used]) {
      expect(() => storage.bind(create())).toThrow(
        expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("storage of its own") }),
      );
    }
  });

  it("refuses an object that is not a driver", () => {
    const storage = new LateStorage("Memory", undefined, create);

    expect(() => storage.bind({} as StorageDriver)).toThrow("storage must be a StorageDriver");
  });
});

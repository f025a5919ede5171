import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "./in-memory-storage.ts";
import { canTransact, isShared, singleProcessReason } from "./shared-driver.ts";
import { MapStorage } from "./test/map-storage.ts";
import { SharedStorage } from "./test/shared-storage.ts";

const call = async (): Promise<never> => await Promise.reject(new Error("unused"));
const withMethods = (methods: object) => Object.assign(new MapStorage(), methods);

describe("a storage that several processes may use", () => {
  it.each([
    ["has append and compareAndSet", withMethods({ append: call, compareAndSet: call }), true],
    ["has both, over storage in memory", new SharedStorage(new InMemoryStorage()), true],
    ["has append alone", withMethods({ append: call }), false],
    ["has compareAndSet alone", withMethods({ compareAndSet: call }), false],
    ["has neither", new MapStorage(), false],
    ["is in memory", new InMemoryStorage(), false],
    ["is in memory, as a subclass", new (class extends InMemoryStorage {})(), false],
    ["tells of one process", withMethods({ append: call, compareAndSet: call, singleProcess: "A file." }), true],
  ])("%s: %#", (_title, driver, shared) => {
    expect(isShared(driver)).toBe(shared);
  });
});

describe("a storage with transactions", () => {
  it.each([
    [withMethods({ transaction: call }), true],
    [withMethods({ transaction: call, singleProcess: undefined }), true],
    [withMethods({ transaction: call, singleProcess: "It has no replica set." }), false],
    [withMethods({ singleProcess: "It has no replica set." }), false],
    [new MapStorage(), false],
    [new InMemoryStorage(), true],
  ])("%# is known by its method, unless it is limited", (driver, transacts) => {
    expect(canTransact(driver)).toBe(transacts);
  });

  it("says why it serves one process alone", () => {
    expect(singleProcessReason(withMethods({ singleProcess: "A file." }))).toBe("A file.");
    expect(singleProcessReason(new MapStorage())).toBeUndefined();
  });
});

import { expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import { KeyVault } from "./key-vault.ts";
import type { RunKeys } from "./run-view.ts";

const shared = () => new SharedStorage(new InMemoryStorage());

it.each<[what: string, keys: RunKeys]>([
  ["nothing", {}],
  ["no vendor", { apiKeys: {} }],
  ["a vendor without a key", { apiKeys: { openai: undefined } }],
])("a run with keys for %s needs no seal keys, and keeps none", (_what, keys) => {
  for (const secrets of [[], false] as const) {
    expect(new KeyVault(shared(), secrets).seal("r", keys)).toBeUndefined();
  }
});

it.each([
  ["keys must be an object with apiKeys or apiKey.", null],
  ["keys must be an object with apiKeys or apiKey.", "k"],
  ["keys.apiKeys must be an object with a key per vendor.", { apiKeys: "k" }],
])("wrong keys are refused: %s", (message, keys) => {
  const seal = () => new KeyVault(shared()).seal("r", keys as never);
  expect(seal).toThrow(expect.objectContaining({ code: "invalid_request", message }));
});

it("opens the keys of the run that they were sealed for, under each of its seal keys, and no other", () => {
  const [older, newer] = ["a".repeat(32), "b".repeat(32)];
  const keys = { apiKeys: { openai: "sk-1", anthropic: "sk-2" }, apiKey: "sk-3" };
  const sealed = new KeyVault(shared(), [older]).seal("r", keys);
  const vault = new KeyVault(shared(), [newer, older]);

  expect(sealed).not.toContain("sk-");
  expect(vault.open("r", sealed)).toEqual(keys);
  expect(vault.open("s", sealed)).toBeNull();
  expect(new KeyVault(shared(), [newer]).open("r", sealed)).toBeNull();
  expect(vault.sealIds).toContain(vault.sealIdOf(sealed));
});

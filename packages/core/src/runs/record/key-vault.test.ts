import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
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

it("KeyVault opens the keys of the run that they were sealed for, under each of its seal keys, and no other", () => {
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

const secrets = ["a".repeat(32), "b".repeat(32)] as const;

it("KeyVault seals with the first of its keys, otherwise each time, and names it", () => {
  const vault = new KeyVault(shared(), secrets);
  const [one, again] = [1, 2].map(() => vault.seal("r", { apiKey: "sk-1" }));
  expect(one).not.toBe(again);
  expect(vault.sealIds).toHaveLength(2);
  expect(vault.sealIds.every((id) => /^[\da-f]{8}$/.test(id))).toBe(true);
  expect([vault.sealIdOf(one), vault.sealIdOf(""), vault.sealIdOf(undefined)]).toEqual([
    vault.sealIds[0],
    "",
    undefined,
  ]);
  expect(new KeyVault(shared(), secrets.slice(0, 1)).open("r", one)).toEqual({ apiKeys: {}, apiKey: "sk-1" });
});

it.each(["", ".", "x.y", "0000000.AAAA"])("KeyVault opens nothing that it has not sealed: %j", (sealed) => {
  expect(new KeyVault(shared(), secrets).open("r", sealed)).toBeNull();
  expect(new KeyVault(shared(), secrets).open("r", undefined)).toEqual({});
});

it("KeyVault opens nothing that was changed", () => {
  const vault = new KeyVault(shared(), secrets);
  const sealed = vault.sealText("place", "secret");
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;
  expect([vault.openText("place", sealed), vault.openText("place", changed)]).toEqual(["secret", undefined]);
  expect(vault.openText("other", sealed)).toBeUndefined();
  expect(new KeyVault(shared(), secrets.toReversed()).openText("place", sealed)).toBe("secret");
});

it("KeyVault keeps keys and texts as they are beside a storage in memory, for all its services, until they are forgotten", () => {
  const storage = new InMemoryStorage();
  const [one, other] = [new KeyVault(storage), new KeyVault(storage)];
  const keys = { apiKeys: { openai: "sk-1" } };
  expect(one.seal("r", { ...keys, apiKey: undefined })).toBe("");
  expect([other.open("r", ""), other.open("s", ""), new KeyVault(new InMemoryStorage()).open("r", "")]).toEqual([
    keys,
    null,
    null,
  ]);
  expect(other.openText("other", one.sealText("place", "secret.x"))).toBe("secret.x");
  other.forget("r");
  expect(one.open("r", "")).toBeNull();
});

it.each<[secrets: readonly string[] | false, isInMemory: boolean, canSeal: boolean, isSettled: boolean]>([
  [[], false, false, false],
  [[], true, true, true],
  [secrets, false, true, true],
  [false, false, false, true],
  [false, true, true, true],
])(
  "with the seal keys %j and storage in memory, %s, it can seal: %s, and is settled: %s",
  (given, isInMemory, ...told) => {
    const vault = new KeyVault(isInMemory ? new InMemoryStorage() : shared(), given);
    expect([vault.canSeal, vault.isSettled]).toEqual(told);
  },
);

it.each([
  [false, "This run is stored, and API keys of callers are not."],
  [[], "Give the RunService sealKeys"],
] as const)("KeyVault refuses keys with the seal keys %j, and does not quote them", (given, message) => {
  const seal = () => new KeyVault(shared(), given).seal("r", { apiKey: "sk-1" });
  const refusal = { code: "invalid_request", message: expect.stringContaining(message) };
  expect(seal).toThrow(expect.objectContaining(refusal));
  expect(() => new KeyVault(shared()).sealText("place", "secret")).toThrow("sealKeys");
});

it.each([
  [{ apiKeys: { openai: "with space" } }, /keys\.apiKeys\.openai must/],
  [{ apiKeys: { ["v".repeat(70)]: "with space" } }, new RegExp(`keys\\.apiKeys\\.v{64} must`)],
  [{ apiKey: "" }, /keys\.apiKey must/],
])("KeyVault refuses the key in %j by its name alone", (keys, message) => {
  expect(() => new KeyVault(shared(), secrets).seal("r", keys)).toThrow(message);
  expect(() => new KeyVault(shared(), secrets).seal("r", keys)).not.toThrow("with space");
});

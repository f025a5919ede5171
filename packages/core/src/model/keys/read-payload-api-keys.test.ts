import { expect, it } from "vitest";
import { readPayloadApiKeys } from "./read-payload-api-keys.ts";

const connection = { apiKey: "sk-connection", apiKeys: { openai: "sk-o", google: "sk-g" } };
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, "sk-1"]));

it.each([
  [{}, connection],
  [{ apiKey: null, apiKeys: null }, connection],
  [{ apiKey: "sk-m" }, { ...connection, apiKey: "sk-m" }],
  [
    { apiKeys: { openai: "sk-m", "my.vendor-1_x": "sk-n" } },
    { ...connection, apiKeys: { openai: "sk-m", google: "sk-g", "my.vendor-1_x": "sk-n" } },
  ],
  [{ apiKeys: {} }, connection],
])("the keys of a message come before those of its connection, one by one: %j", (message, keys) => {
  expect(readPayloadApiKeys(message, connection)).toStrictEqual(keys);
});

it("a payload may have no key at all", () => {
  expect(readPayloadApiKeys({})).toStrictEqual({ apiKeys: {} });
});

it("a message has 32 keys of vendors at most, whose ids have 64 characters at most", () => {
  expect(Object.keys(readPayloadApiKeys({ apiKeys: many(32) }).apiKeys)).toHaveLength(32);
  expect(() => readPayloadApiKeys({ apiKeys: many(33) })).toThrow(/at most 32 keys/);
  const named = (length: number) => ({ apiKeys: { ["v".repeat(length)]: "sk-1" } });
  expect(Object.keys(readPayloadApiKeys(named(64)).apiKeys)).toHaveLength(1);
  expect(() => readPayloadApiKeys(named(65))).toThrow(/ids of providers/);
});

it.each([
  ["apiKeys must be", { apiKeys: "sk-secret" }],
  ["apiKeys must be", { apiKeys: ["sk-secret"] }],
  ["apiKeys must be", { apiKeys: { "": "sk-secret" } }],
  ["apiKeys must be", { apiKeys: { "1a": "sk-secret" } }],
  ["apiKeys must be", { apiKeys: { "a b": "sk-secret" } }],
  ["apiKeys must be", { apiKeys: { größe: "sk-secret" } }],
  ["the field apiKeys.openai", { apiKeys: { openai: "" } }],
  ["the field apiKeys.openai", { apiKeys: { openai: 7 } }],
  ["the field apiKeys.openai", { apiKeys: { openai: "sk-secret\n" } }],
  ["the field apiKey", { apiKey: "" }],
  ["the field apiKey", { apiKey: 7 }],
])("a wrong payload has an error that names its fault, and no key: %s", (name, message) => {
  const told = expect.stringMatching(new RegExp(`^(?!.*sk-secret).*${name}`, "s"));
  const read = () => readPayloadApiKeys(message, connection);
  expect(read).toThrow(expect.objectContaining({ code: "invalid_request", message: told }));
});

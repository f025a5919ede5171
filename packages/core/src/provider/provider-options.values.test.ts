import { describe, expect, it } from "vitest";
import { optional } from "../base/errors/option-checks.ts";
import { readOptions } from "../base/errors/read-options.ts";
import { createLogger } from "../base/log/logger.ts";
import { Network } from "./network.ts";
import {
  baseUrlOption,
  clientOption,
  embeddingProviderOptionTable,
  modelProviderOptionTable,
  readProviderOptions,
} from "./provider-options.ts";

type Client = { chat: { create(): void }; close(): void };

const clients = { client: optional(clientOption<Client>("a client", "chat.create", "close")) };
const models = { ...modelProviderOptionTable, ...clients };
const embeddings = { ...embeddingProviderOptionTable, ...clients };
const nothing = (): void => undefined;
const client: Client = { chat: { create: nothing }, close: nothing };
const anAddress = "an http: or https: address without credentials, query or fragment";
const aKey = "a string of 1 to 16384 visible ASCII characters without spaces, or a function that returns one";

describe("baseUrlOption", () => {
  const read = (value: unknown) => baseUrlOption(value, "baseURL", {});

  it.each([
    ["http://localhost:11434", "http://localhost:11434"],
    ["https://api.example.com/v1", "https://api.example.com/v1"],
    ["https://api.example.com/", "https://api.example.com"],
    ["https://api.example.com/v1//", "https://api.example.com/v1"],
    ["HTTPS://api.example.com//v1/", "HTTPS://api.example.com//v1"],
  ])("reads %s as %s", (given, address) => {
    expect(read(given)).toBe(address);
  });

  it.each([
    "",
    "api.example.com",
    "/v1",
    "ftp://api.example.com",
    "file:///v1",
    "ws://api.example.com",
    "https://user@api.example.com",
    "https://:canary@api.example.com",
    "https://api.example.com?key=canary",
    "https://api.example.com/v1#part",
    7,
    null,
    new URL("https://api.example.com"),
  ])("refuses %j, and does not show it", (given) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(new RegExp(`^baseURL must be ${anAddress}, got (?!.*canary)`)),
      }),
    );
  });
});

describe("clientOption", () => {
  it("takes a client with all its methods, as it is", () => {
    expect(readOptions(models, { client }, { owner: "acme" }).client).toBe(client);
  });

  it.each([
    [{}],
    [{ chat: {}, close: nothing }],
    [{ chat: { create: nothing } }],
    [{ chat: { create: true }, close: nothing }],
    [null],
    ["client"],
  ])("refuses %j, and names the methods", (given) => {
    expect(() => readOptions(models, { client: given }, { owner: "acme" })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(/^client must be a client, with chat\.create and close, got /),
      }),
    );
  });
});

const both = [
  ["apiKey", "", aKey],
  ["apiKey", "a b", aKey],
  ["apiKey", 7, aKey],
  ["apiKey", "k".repeat(16_385), aKey],
  ["baseURL", "ftp://a", anAddress],
  [
    "headers",
    7,
    "a function or an object with names of headers, and with strings of printable characters or null as values",
  ],
  ["fetch", "fetch", "a function"],
  ["proxy", 7, "the http: or https: URL of a proxy, without a path"],
  ["dispatcher", {}, "a dispatcher of undici, with the methods dispatch"],
] as const;
it.each([
  ...both.map((row) => ["models", models, ...row] as const),
  ...both.map((row) => ["embeddings", embeddings, ...row] as const),
  ["models", models, "idleTimeoutMs", 0, "an integer from 1 to 2147483647"] as const,
  ["models", models, "allowPrivateUrls", "yes", "true or false"] as const,
  [
    "models",
    models,
    "logger",
    {},
    "a logger such as createLogger({ level }), with the methods debug, info, warn, error, child and withSecrets",
  ] as const,
  ["embeddings", embeddings, "dimensions", 0, "a positive integer"] as const,
  ["embeddings", embeddings, "dimensions", 1.5, "a positive integer"] as const,
])("a provider of %s refuses a wrong option", (...[, table, name, value, expected]) => {
  expect(() => readProviderOptions(table, { [name]: value }, { owner: "acme" })).toThrow(
    expect.objectContaining({
      code: "invalid_config",
      message: expect.stringMatching(new RegExp(`^${name} must be ${expected.replaceAll(/[.(){}]/g, ".")}, got `)),
    }),
  );
});

describe("the options of a provider", () => {
  it("are these, of models and of embeddings", () => {
    const network = ["headers", "fetch", "proxy", "dispatcher"];
    expect(Object.keys(modelProviderOptionTable)).toEqual([
      "apiKey",
      "baseURL",
      "useEnvironmentKey",
      "idleTimeoutMs",
      "allowPrivateUrls",
      "logger",
      ...network,
    ]);
    expect(Object.keys(embeddingProviderOptionTable)).toEqual([
      "apiKey",
      "baseURL",
      "useEnvironmentKey",
      "dimensions",
      ...network,
    ]);
  });

  it("are read whole, without those of the network", async () => {
    const logger = createLogger({ level: "debug", write: () => undefined });
    const apiKey = async () => "key-1";
    const given = {
      idleTimeoutMs: 1,
      allowPrivateUrls: true,
      logger,
      baseURL: "http://a/",
      apiKey,
      headers: { b: "1" },
    };
    const { network, ...settings } = readProviderOptions(models, { ...given, fetch }, { owner: "acme" });
    expect(settings).toEqual({ idleTimeoutMs: 1, allowPrivateUrls: true, logger, baseURL: "http://a" });
    expect(settings.logger).toBe(logger);
    expect(network).toBeInstanceOf(Network);
    expect(await network.openCall({ providerId: "acme" })).toEqual({
      providerId: "acme",
      key: { value: "key-1", fromCaller: false },
      headers: { b: "1" },
      signal: undefined,
    });
    for (const way of [{ proxy: "http://proxy" }, { dispatcher: { dispatch: () => true } }]) {
      const read = readProviderOptions(embeddings, { ...way, dimensions: 1 }, { owner: "acme" });
      expect(Object.keys(read).toSorted()).toEqual(["dimensions", "logger", "network"]);
    }
  });

  it.each([
    ["apiKey", "k"],
    ["baseURL", "http://a"],
    ["headers", {}],
    ["fetch", fetch],
    ["proxy", "http://proxy"],
    ["dispatcher", { dispatch: () => true }],
    ["region", "eu"],
  ])("have no %s beside a client", (name, value) => {
    const table = { ...models, region: optional((given: unknown) => given) };
    const read = (options: object) =>
      readProviderOptions(table, { client, ...options }, { owner: "acme", withoutEffect: ["region"] });
    const message = `${name} would have no effect beside client. Set it on the client, or leave client out.`;
    expect(() => read({ [name]: value })).toThrow(expect.objectContaining({ code: "invalid_config", message }));
    expect(() => read({ [name]: undefined, idleTimeoutMs: 5 })).not.toThrow();
  });

  it("have none of several beside a client, all of which are named in their order", () => {
    const given = { client, headers: {}, apiKey: "k", proxy: "http://proxy" };
    expect(() => readProviderOptions(models, given, { owner: "acme" })).toThrow(
      "apiKey, headers, proxy would have no effect beside client. Set it on the client, or leave client out.",
    );
  });

  it("are unknown by the name of the provider", () => {
    expect(() => readProviderOptions(models, { timeout: 1 }, { owner: "acme" })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(/^Unknown option "timeout" of acme\. Expected apiKey, baseURL, .* or client\.$/),
      }),
    );
  });
});

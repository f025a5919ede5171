import { describe, expect, it } from "vitest";
import { optional, timeoutOption } from "../base/errors/option-checks.ts";
import { baseUrlOption, clientOption, modelProviderOptionTable, readProviderOptions } from "./provider-options.ts";
import { Network } from "./network.ts";

type Client = { chat: { create(body: never): PromiseLike<unknown> } };

const table = {
  ...modelProviderOptionTable,
  baseURL: optional(baseUrlOption, "https://api.example.com"),
  timeoutMs: optional(timeoutOption, 5000),
  client: optional(clientOption<Client>("a client", "chat.create")),
};
const client: Client = { chat: { create: async () => ({}) } };
const read = (options: object) => readProviderOptions(table, options, { owner: "acme", withoutEffect: ["region"] });
const refused = (message: RegExp) =>
  expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) as unknown }) as Error;

describe("readProviderOptions", () => {
  it("returns options with their defaults, a silent logger, and a network in place of key, headers and proxy", async () => {
    const { network, logger, ...others } = read({ apiKey: "key-1", headers: { "x-a": "1" } });

    expect(others).toEqual({
      allowPrivateUrls: false,
      baseURL: "https://api.example.com",
      timeoutMs: 5000,
      idleTimeoutMs: 60_000,
    });
    expect(network).toBeInstanceOf(Network);
    expect(logger).toHaveProperty("warn");
    expect(await network.openCall({ providerId: "acme" })).toMatchObject({
      key: { value: "key-1", fromCaller: false },
      headers: { "x-a": "1" },
    });
  });

  it.each<[string, object, RegExp]>([
    ["an unknown option", { apikey: "a" }, /^Unknown option "apikey" of acme/],
    ["no client", { client: { chat: {} } }, /^client must be a client, with chat.create/],
    ["two ways to send", { proxy: "http://proxy", fetch }, /exclude each other/],
    ["a key beside a client", { client, apiKey: "a" }, /^apiKey would have no effect beside client/],
    ["a proxy beside a client", { client, proxy: "http://proxy" }, /^proxy would have no effect/],
  ])("refuses %s", (_, options, message) => {
    expect(() => read(options)).toThrow(refused(message));
  });

  it("refuses beside a client also what the provider names, though not its defaults", () => {
    const own = { ...table, region: optional(clientOption<string>("a region")) };
    const options = (more: object) => () =>
      readProviderOptions(own, { client, ...more }, { owner: "acme", withoutEffect: ["region"] });

    expect(options({})).not.toThrow();
    expect(options({ region: "eu" })).toThrow(refused(/^region would have no effect/));
  });

  it("opens calls without a key beside a client, and refuses one of the caller", async () => {
    const { network } = read({ client });

    expect(await network.openCall({ providerId: "acme" })).toMatchObject({ providerId: "acme", signal: undefined });
    await expect(network.openCall({ providerId: "acme", apiKey: "key-1" })).rejects.toMatchObject({
      code: "invalid_request",
      message: "acme is called through a client with its own key. Send no API key.",
    });
  });

  it("reads an address without slashes at its end", () => {
    expect(read({ baseURL: "https://gateway.example.com/v1//" }).baseURL).toBe("https://gateway.example.com/v1");
  });
});

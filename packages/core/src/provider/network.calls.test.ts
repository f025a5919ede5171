import { afterEach, describe, expect, it, vi } from "vitest";
import { readOptions } from "../base/errors/read-options.ts";
import { Network, networkOptionTable } from "./network.ts";
import type { ModelCallStart, NetworkOptions, NetworkSettings } from "./network.ts";

afterEach(() => void vi.unstubAllEnvs());

const read = (options: object) => readOptions(networkOptionTable, options, { owner: "test" });
const expectedHeaders = "an object with names of headers, and with strings of printable characters or null as values";
const refused = (message: string) => expect.objectContaining({ code: "invalid_config", message });

describe("the option headers", () => {
  it.each([
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "transfer-encoding",
    "upgrade",
    "Keep-Alive",
    "UPGRADE",
  ])("must not set %s, also where a function returns it", async (name) => {
    const message = `headers must not set ${name}, which the connection sets itself.`;
    for (const value of ["a", null]) {
      expect(() => read({ headers: { "x-a": "1", [name]: value } })).toThrow(refused(message));
      await expect(new Network({ headers: () => ({ [name]: value }) }).readHeaders()).rejects.toEqual(refused(message));
    }
  });

  it.each([
    { "x-a": "" },
    { "x-a": null },
    { "x-a": "\t ~\x80\xff" },
    { "!#$%&'*+.^`|~_-aZ0": "1" },
    { host2: "a", "content-type": "b", authorization: "c" },
  ])("may be %j", async (headers) => {
    expect(read({ headers })).toEqual({ headers });
    expect(await new Network({ headers: () => headers }).readHeaders()).toEqual(headers);
  });

  it.each([
    { "x-a": "\x7f" },
    { "x-a": "\x1f" },
    { "x-a": "€" },
    { "x-a": "a\n" },
    { "x a": "1" },
    { "": "1" },
    { "x:a": "1" },
    { "x-a": 1 },
    { "x-a": undefined },
    ["x-a"],
    "x-a: 1",
    null,
  ])("may not be %j, also as a function's result", async (headers) => {
    expect(() => read({ headers })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringContaining(`headers must be a function or ${expectedHeaders}, got `) as unknown,
      }),
    );
    await expect(new Network({ headers: (() => headers) as never }).readHeaders()).rejects.toEqual(
      refused(`The function headers must return ${expectedHeaders}.`),
    );
  });

  it("are a copy, and a function is kept", () => {
    const given = { "x-a": "1" };
    const { headers } = read({ headers: given });
    given["x-a"] = "2";
    expect(headers).toEqual({ "x-a": "1" });
    const source = () => given;
    expect(read({ headers: source }).headers).toBe(source);
  });
});

describe("the option proxy", () => {
  it.each(["http://proxy", "https://proxy:8080/", "http://user:pass@proxy"])("may be %s", (proxy) => {
    expect(read({ proxy })).toEqual({ proxy });
  });

  it.each(["socks://proxy", "proxy:8080", "http://proxy/a", "http://proxy?a", "http://proxy#a", "", 7, null])(
    "may not be %j",
    (proxy) => {
      expect(() => read({ proxy })).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(/^proxy must be the http: or https: URL of a proxy, without a path, got /),
        }),
      );
    },
  );
});

const dispatcher = { dispatch: () => true } as unknown as NonNullable<NetworkOptions["dispatcher"]>;
it.each<[options: NetworkSettings, names: string]>([
  [{ fetch, proxy: "http://proxy" }, "fetch and proxy"],
  [{ fetch, dispatcher }, "fetch and dispatcher"],
  [{ proxy: "http://proxy", dispatcher }, "proxy and dispatcher"],
  [{ dispatcher, fetch, proxy: "http://proxy" }, "fetch and proxy and dispatcher"],
])("a network takes one way to send alone, %#", (options, names) => {
  expect(() => new Network(options)).toThrow(refused(`${names} exclude each other. Leave all but one out.`));
});

describe("Network.openCall", () => {
  const { signal } = new AbortController();
  const headers = { "x-a": "1" };
  const open = async (settings: NetworkSettings, start: Partial<ModelCallStart> = {}) =>
    await new Network(settings).openCall({ providerId: "acme", ...start });

  it.each<[what: string, settings: NetworkSettings, start: Partial<ModelCallStart>, key: unknown]>([
    ["the call", { apiKey: "config" }, { apiKey: "call" }, { value: "call", fromCaller: true }],
    ["the options", { apiKey: "config" }, {}, { value: "config", fromCaller: false }],
    ["a function", { apiKey: async () => "made" }, {}, { value: "made", fromCaller: false }],
    ["the environment", {}, { environment: ["NONE_KEY", "ACME_KEY"] }, { value: "env", fromCaller: false }],
    ["nowhere, where it may be left out", {}, { isKeyOptional: true }, undefined],
    [
      "the options, where it may be left out",
      { apiKey: "config" },
      { isKeyOptional: true },
      { value: "config", fromCaller: false },
    ],
  ])("has the key of %s, the headers and the signal", async (...[, settings, start, key]) => {
    vi.stubEnv("ACME_KEY", "env");
    expect(await open({ ...settings, headers }, { signal, ...start })).toEqual({
      providerId: "acme",
      key,
      signal,
      headers,
    });
  });

  it("has no headers where none are given", async () => {
    expect(await open({ apiKey: "k" })).toEqual({
      providerId: "acme",
      key: { value: "k", fromCaller: false },
      signal: undefined,
      headers: undefined,
    });
  });

  it.each([undefined, false])("needs a key, with isKeyOptional %s", async (isKeyOptional) => {
    await expect(open({ headers }, { isKeyOptional, environment: ["ACME_KEY"] })).rejects.toMatchObject({
      code: "unauthorized",
      message: "acme needs an API key: send the header x-acme-api-key, pass apiKey or set ACME_KEY.",
    });
  });

  it("ends the wait for the headers and for the key when its signal aborts", async () => {
    for (const settings of [
      { apiKey: "k", headers: () => new Promise<never>(() => undefined) },
      { apiKey: () => new Promise<never>(() => undefined) },
    ]) {
      const abort = new AbortController();
      const opening = open(settings, { signal: abort.signal });
      abort.abort(new Error("enough"));
      await expect(opening).rejects.toMatchObject({
        code: "cancelled",
        cause: { message: "enough" },
      });
    }
  });

  it("calls each function once for each call, and rejects as it does", async () => {
    const [apiKey, makeHeaders] = [vi.fn<() => string>(() => "k"), vi.fn<() => typeof headers>(() => headers)];
    const network = new Network({ apiKey, headers: makeHeaders });
    for (let call = 0; call < 2; call++) await network.openCall({ providerId: "acme" });
    expect([apiKey.mock.calls, makeHeaders.mock.calls]).toEqual([
      [[], []],
      [[], []],
    ]);
    const failing = () => Promise.reject(new Error("no headers"));
    await expect(open({ apiKey: "k", headers: failing })).rejects.toThrow("no headers");
  });
});

describe("Network.openCall beside a client", () => {
  const client = { apiKey: "canary" };
  const open = async (start: Partial<ModelCallStart> = {}, given: unknown = client) =>
    await new Network({ client: given, headers: { "x-a": "1" } }).openCall({ providerId: "acme", ...start });

  it("has no key and no headers, and finds the client's secrets", async () => {
    const { signal } = new AbortController();
    const call = await open({ signal, environment: ["PATH"] });
    expect(call).toEqual({ providerId: "acme", signal, findSecrets: expect.any(Function) as unknown });
    expect(call.findSecrets?.()).toEqual(["canary"]);
  });

  it("finds no secrets in a client without a key, but where none is needed", async () => {
    const local = { address: "http://localhost" };
    expect((await open({}, local)).findSecrets?.()).toBeUndefined();
    expect((await open({ isKeyOptional: true }, local)).findSecrets?.()).toEqual([]);
  });

  it("takes a key of the call where the client takes it with its request", async () => {
    expect(await open({ apiKey: "k", clientTakesKey: true })).toEqual({
      providerId: "acme",
      signal: undefined,
      key: { value: "k", fromCaller: true },
      findSecrets: expect.any(Function) as unknown,
    });
    expect(await open({ clientTakesKey: true })).not.toHaveProperty("key");
    await expect(open({ apiKey: "a b", clientTakesKey: true })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it.each([undefined, false])("refuses one else, with clientTakesKey %s", async (clientTakesKey) => {
    await expect(open({ apiKey: "k", clientTakesKey })).rejects.toMatchObject({
      code: "invalid_request",
      message: "acme is called through a client with its own key. Send no API key.",
    });
  });
});

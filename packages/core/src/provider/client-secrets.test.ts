import { describe, expect, it, vi } from "vitest";
import { findClientSecrets } from "./client-secrets.ts";

/** A client like those of the libraries: its fields, its options with headers, and its parts, which refer to it. */
class Client {
  readonly apiKey = "key-of-client";
  readonly baseURL = "https://user:pass-of-proxy@example.com/v1";
  readonly options = {
    defaultHeaders: { "x-gateway": "gateway-token", authorization: "Bearer bearer-token" },
    auth: { credentials: { access_token: "access-token", expiry_date: 5 } },
    given: new Headers({ "cf-aig-authorization": "Bearer of-gateway" }),
  };
  readonly part = { client: this };
}

const all = [
  "key-of-client",
  "pass-of-proxy",
  "gateway-token",
  "Bearer bearer-token",
  "bearer-token",
  "access-token",
  "of-gateway",
];

describe("findClientSecrets", () => {
  it.each<[string, (client: Client) => unknown]>([
    ["a client", (client) => client],
    ["a proxy of one", (client) => new Proxy(client, {})],
    ["an object that inherits from one", (client) => Object.create(client) as unknown],
  ])("finds keys, headers, tokens and passwords of %s, at any depth", (_, wrap) => {
    expect(findClientSecrets(wrap(new Client()))).toEqual(expect.arrayContaining(all));
  });

  it("finds what a proxy shows of a client that it hides", () => {
    const proxy = new Proxy({}, { get: (_, name) => (name === "authToken" ? "hidden-token" : undefined) });

    expect(findClientSecrets(proxy)).toEqual(["hidden-token"]);
  });

  it("knows no key behind functions, nor of a client without one unless it may have none", () => {
    expect(findClientSecrets({ chat: () => undefined })).toBeUndefined();
    expect(findClientSecrets({ chat: () => undefined }, true)).toBeUndefined();
    expect(findClientSecrets({ host: "http://a", headers: { "user-agent": "agent" } })).toBeUndefined();
    expect(findClientSecrets({ host: "http://a" }, true)).toEqual([]);
  });

  it("calls no getter, and bears one that throws", () => {
    const read = vi.fn<() => string>();
    const client = Object.defineProperties({ apiKey: "the-key" }, { other: { get: read, enumerable: true } });
    const broken = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );

    expect(findClientSecrets({ client, broken })).toEqual(["the-key"]);
    expect(read).not.toHaveBeenCalled();
  });
});

describe("the secrets of a client", () => {
  const found = (client: unknown) => findClientSecrets(client)?.toSorted();

  it("are no other strings", () => {
    expect(findClientSecrets(new Client())?.toSorted()).toEqual([...all, "Bearer of-gateway"].toSorted());
  });

  it.each([
    "key",
    "apiKeys",
    "API_KEY",
    "api-key",
    "accessToken",
    "tokens",
    "clientSecret",
    "password",
    "passphrase",
    "cookie",
    "authorization",
    "credential",
  ])("are in a field %s", (name) => {
    expect(found({ [name]: "Bearer abc" })).toEqual(["Bearer abc", "abc"]);
    expect(found({ [name]: { deep: ["in-it"] } })).toBeUndefined();
    expect(found({ apiKey: "k", [name]: { deep: ["in-it"] } })).toEqual(expect.arrayContaining(["in-it"]));
  });

  it.each(["keyboard", "tokenizer", "maxTokensUsed", "monkeys2x", "passwordless"])("are not in a field %s", (name) => {
    expect(found({ apiKey: "k", [name]: "plain" })).toEqual(["k"]);
  });

  it("are all values of headers, in a Map, a Headers or an object, and keys that are empty are none", () => {
    const headers = [new Map([["x-a", "1st"]]), new Headers({ "x-a": "2nd" }), { "x-a": "3rd" }];

    expect(found({ apiKey: "k", a: { headers: headers[0] }, defaultHeaders: headers[1], HEADERS: headers[2] })).toEqual(
      ["1st", "2nd", "3rd", "k"],
    );
    expect(found({ apiKey: "", other: "x" })).toBeUndefined();
    expect(found({ apiKey: "k", headersOf: { a: "plain" } })).toEqual(["k"]);
  });

  it("are passwords of addresses under any name, and none of an address without one", () => {
    expect(found({ token: "t", proxy: "http://u:pw@h", url: "http://u@h" })).toEqual(["pw", "t"]);
  });

  it("are looked for in the first 2000 objects, and not in bytes", () => {
    const chain = (length: number) => {
      let client: object = { apiKey: "deep" };
      for (let depth = 1; depth < length; depth++) client = { next: client };
      return client;
    };

    expect(found(chain(2000))).toEqual(["deep"]);
    expect(found(chain(2001))).toBeUndefined();
    expect(found({ apiKey: "k", token: Buffer.from("bytes") })).toEqual(["k"]);
  });
});

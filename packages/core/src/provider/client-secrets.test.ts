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

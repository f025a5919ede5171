import type { LookupFunction } from "node:net";
import { describe, expect, it } from "vitest";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import {
  allowPrivateHostsOption,
  guardLookup,
  guardUrl,
  isAllowedPrivateHost,
  leadsToPrivateHost,
  refusedUrlError,
  toAllowedPrivateHosts,
} from "./guard-url.ts";
import type { UrlRefusalReason } from "./guard-url.ts";

const none = toAllowedPrivateHosts([]);
const open = "93.184.215.14";

type Answer = Parameters<Parameters<LookupFunction>[2]>;

/** A name server that gives this answer. */
const answering =
  (...answer: Answer): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(...answer);

const addresses = (...given: string[]) =>
  answering(
    null,
    given.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  );

const look = (lookup: LookupFunction, all: boolean) =>
  new Promise<Answer>((resolve) => guardLookup(lookup)("a.example", { all }, (...answer) => resolve(answer)));

describe("guardUrl", () => {
  it.each(["https://a.example/b?c", "http://a.example:8080", `http://${open}`, "HTTP://A.EXAMPLE"])(
    "takes %s",
    (address) => {
      expect(guardUrl(address, none).href).toBe(new URL(address).href);
      expect(guardUrl(new URL(address), none).href).toBe(new URL(address).href);
    },
  );

  it.each<[string, string]>([
    ["ftp://a.example", "not_http"],
    ["file:///etc/passwd", "not_http"],
    ["data:text/plain,x", "not_http"],
    ["a.example", "not_http"],
    ["/path", "not_http"],
    ["", "not_http"],
    ["https://user@a.example", "not_http"],
    ["https://:password@a.example", "not_http"],
    ["http://127.0.0.1", "private_address"],
    ["http://127.1:3000", "private_address"],
    ["http://0x7f000001", "private_address"],
    ["http://[::1]", "private_address"],
    ["http://[::ffff:10.0.0.1]", "private_address"],
    ["http://１２７.0.0.1", "private_address"],
  ])("refuses %s as %s", (address, reason) => {
    expect(() => guardUrl(address, none)).toThrow(
      expect.objectContaining({ code: "invalid_request", fields: { reason } }),
    );
  });

  it("takes a private address with the port that is allowed, and no other", () => {
    const allowed = toAllowedPrivateHosts(["127.0.0.1:3000", "10.0.0.1:80", "10.0.0.2:443", "[::1]:3000"]);
    const taken = [
      "http://127.0.0.1:3000",
      "https://127.1:3000/a",
      "http://10.0.0.1",
      "https://10.0.0.2",
      "http://[::1]:3000",
    ];
    const refused = [
      "http://127.0.0.1",
      "http://127.0.0.1:3001",
      "https://10.0.0.1",
      "http://10.0.0.2",
      "http://127.0.0.2:3000",
    ];

    for (const address of taken) expect(guardUrl(address, allowed).href).toBe(new URL(address).href);
    for (const address of refused) expect(() => guardUrl(address, allowed)).toThrow("not public");
  });
});

describe("guardLookup", () => {
  it("gives all addresses or the first, as it was asked, and asks for all", async () => {
    const asked: unknown[] = [];
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked.push([hostname, options.all]);
      addresses(open, "2606:4700::1111")(hostname, options, callback);
    };

    expect(await look(lookup, false)).toEqual([null, open, 4]);
    expect(await look(lookup, true)).toEqual([
      null,
      [
        { address: open, family: 4 },
        { address: "2606:4700::1111", family: 6 },
      ],
    ]);
    expect(asked).toEqual([
      ["a.example", true],
      ["a.example", true],
    ]);
  });

  it("takes one address from a name server that was asked for all", async () => {
    expect(await look(answering(null, open, 4), true)).toEqual([null, [{ address: open, family: 4 }]]);
    expect(await look(answering(null, open, 4), false)).toEqual([null, open, 4]);
  });

  it.each<[string, LookupFunction]>([
    ["a private address", addresses("10.0.0.1")],
    ["a private address behind a public one", addresses(open, "::1")],
    ["a private address as text", answering(null, "127.0.0.1", 4)],
    ["no address", addresses()],
    ["an empty text", answering(null, "", 4)],
    ["what is no address", addresses("a.example")],
  ])("refuses a name with %s", async (_, lookup) => {
    for (const all of [true, false]) {
      const [error] = await look(lookup, all);
      expect((error as unknown as TroupeError).fields).toEqual({ reason: "private_address" });
    }
  });

  it("passes on that a name has no answer", async () => {
    const failure = Object.assign(new Error("no"), { code: "ENOTFOUND" });

    expect((await look(answering(failure, undefined as unknown as string), true))[0]).toBe(failure);
  });
});

describe("leadsToPrivateHost", () => {
  const leads = (address: string, lookup: LookupFunction, allowed = none) =>
    leadsToPrivateHost(new URL(address), { allowed, lookup });
  const unasked: LookupFunction = () => expect.unreachable();

  it.each<[string, LookupFunction, boolean]>([
    ["http://10.0.0.1", unasked, true],
    ["http://localhost:3000", unasked, true],
    ["http://db.internal", unasked, true],
    [`http://${open}`, unasked, false],
    ["http://a.example", addresses(open), false],
    ["http://a.example", addresses(open, "10.0.0.1"), true],
    ["http://a.example", answering(new Error("no"), ""), false],
  ])("of %s is true for a name or an address of a private host: %#", async (address, lookup, is) => {
    expect(await leads(address, lookup)).toBe(is);
  });

  it("is false for a host that is allowed, without a look at its addresses", async () => {
    const allowed = toAllowedPrivateHosts(["localhost:3000", "a.example:80"]);

    expect(await leads("http://localhost:3000", unasked, allowed)).toBe(false);
    expect(await leads("http://a.example", unasked, allowed)).toBe(false);
    expect(await leads("http://localhost:3001", unasked, allowed)).toBe(true);
  });

  it("is false where the name server throws", async () => {
    const throwing: LookupFunction = () => {
      throw new Error("no");
    };

    expect(await leads("http://a.example", throwing)).toBe(false);
  });
});

it.each<[UrlRefusalReason, string]>([
  ["not_http", "url must be an absolute http: or https: address without a user name or password."],
  [
    "private_address",
    "url leads to an address that is not public. Add its host:port to allowPrivateHosts to allow it.",
  ],
  ["too_many_redirects", "url is redirected more often than maxRedirects allows."],
  ["redirected_body", "url redirects a request with a body to another origin, which is not followed."],
  ["too_large", "url holds more bytes than maxBytes allows."],
  ["unreachable", "url cannot be fetched. Its server cannot be reached, or the connection broke off."],
])("a URL that is refused as %s is told why", (reason, message) => {
  const cause = new Error("inner");

  expect(refusedUrlError(reason, cause)).toMatchObject({ code: "invalid_request", message, fields: { reason }, cause });
});

it.each([
  ["127.0.0.1:80", "http://127.0.0.1/a", true],
  ["127.0.0.1:80", "http://127.0.0.1:80/", true],
  ["127.0.0.1:80", "https://127.0.0.1/", false],
  ["127.0.0.1:81", "http://127.0.0.1/", false],
  ["127.0.0.1:443", "https://127.0.0.1/", true],
  ["127.0.0.1:443", "http://127.0.0.1/", false],
  ["LOCALHOST:11434", "http://localhost:11434/", true],
  ["localhost:11434", "http://localhost:11435/", false],
  ["0x7f.1:81", "http://127.0.0.1:81/", true],
  ["[::1]:82", "http://[0::1]:82/", true],
])("the allowed host %s covers %s: %s", (host, url, expected) => {
  expect(isAllowedPrivateHost(new URL(url), toAllowedPrivateHosts([host]))).toBe(expected);
});

it.each(["localhost", "localhost:", "http://a:1", "a:1/", "a:1?b", "u@a:1", "a:99999", "", 5])(
  "the option allowPrivateHosts refuses %j",
  (host) => {
    expect(() => allowPrivateHostsOption([host], "allowPrivateHosts", {})).toThrow(
      expect.objectContaining({ code: "invalid_config" }),
    );
  },
);

it("the option allowPrivateHosts takes hosts with their ports", () => {
  const hosts = ["localhost:11434", "10.0.0.1:80", "[::1]:443"];

  expect(allowPrivateHostsOption(hosts, "allowPrivateHosts", {})).toEqual(hosts);
  expect(() => allowPrivateHostsOption("a:1", "allowPrivateHosts", {})).toThrow(
    "allowPrivateHosts must be an array of hosts with their ports, got a string.",
  );
  expect(() => allowPrivateHostsOption(["a:1", "b"], "allowPrivateHosts", {})).toThrow(
    'allowPrivateHosts[1] must be a host and port, like "localhost:11434", got a string.',
  );
});

import type { LookupFunction } from "node:net";
import { describe, expect, it } from "vitest";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { guardLookup, guardUrl, leadsToPrivateHost, toAllowedPrivateHosts } from "./guard-url.ts";

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

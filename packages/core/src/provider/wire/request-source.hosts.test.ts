import { describe, expect, it } from "vitest";
import {
  createOriginCheck,
  isFromOtherSite,
  isOriginOfHost,
  readRequestHost,
  requestSourceOptions,
  HostAndOriginGuard,
} from "./request-source.ts";

const own = readRequestHost("/", "own.example:8080");

describe("the host of a request", () => {
  it.each([
    ["/", "own.example", { text: "own.example", hostname: "own.example", host: "own.example" }],
    ["/", "Own.Example:8080", { text: "Own.Example:8080", hostname: "own.example", host: "own.example:8080" }],
    ["/", "own.example.", { text: "own.example.", hostname: "own.example", host: "own.example" }],
    ["/", "own.example:0080", { text: "own.example:0080", hostname: "own.example", host: "own.example:80" }],
    ["/", "own.example:", { text: "own.example:", hostname: "own.example", host: "own.example" }],
    ["/", "[::1]:80", { text: "[::1]:80", hostname: "[::1]", host: "[::1]:80" }],
    ["http://own.example/a", "evil.example", { text: "own.example", hostname: "own.example", host: "own.example" }],
    ["HTTPS://own.example:1?a", undefined, { text: "own.example:1", hostname: "own.example", host: "own.example:1" }],
    ["/http://evil.example/", "own.example", { text: "own.example", hostname: "own.example", host: "own.example" }],
  ])("the host of a request to %j with the header %j is %j", (target, header, host) => {
    expect(readRequestHost(target, header)).toEqual(host);
  });

  it.each([
    ["/", undefined],
    ["/", ""],
    ["/", "a@own.example"],
    ["/", "own.example/evil"],
    ["/", "own.example\\evil"],
    ["/", "own.example#a"],
    ["/", "own.example?a"],
    ["/", "own example"],
    ["/", "*.example"],
    ["/", "own.example:123456"],
    ["/", "own.example:a"],
    ["/", ":80"],
    ["http:///a", "own.example"],
    ["http://a@own.example/", "own.example"],
  ])("the host of a request to %j with the header %j is none", (target, header) => {
    expect(readRequestHost(target, header)).toBeUndefined();
  });
});

it.each([
  [["own.example"], "own.example", true],
  [["own.example"], "own.example:8080", true],
  [["own.example:8080"], "own.example:8080", true],
  [["own.example:8080"], "own.example", false],
  [["own.example:8080"], "own.example:8081", false],
  [["OWN.example."], "own.EXAMPLE", true],
  [["own.example"], "sub.own.example", false],
  [["own.example"], "own.example.evil", false],
  [[], "own.example", false],
])("allowedHosts %j allows %s: %s", (allowedHosts, host, isAllowed) => {
  const taken = (): boolean => {
    try {
      new HostAndOriginGuard({ allowedHosts }).checkHost({ url: "/", headers: { host } });
      return true;
    } catch {
      return false;
    }
  };
  expect(taken()).toBe(isAllowed);
});

it("another host is refused in words that name the option", () => {
  const message = "The host of the request is not one of this service. The option allowedHosts lists its hosts.";
  expect(() =>
    new HostAndOriginGuard({ allowedHosts: [] }).checkHost({ url: "/", headers: { host: "own.example" } }),
  ).toThrow(expect.objectContaining({ code: "forbidden", message }));
});

it("a page of another site is refused in words that name the option", () => {
  const headers = { host: "own.example", origin: "https://evil.example" };
  const message =
    "A page of another site sent this request. The option allowedOrigins lists the origins that may send it.";
  expect(() => new HostAndOriginGuard({}).checkPage({ url: "/", headers })).toThrow(
    expect.objectContaining({ code: "forbidden", message }),
  );
});

it.each([
  [["https://app.example"], "https://app.example", true],
  [["https://app.example/"], "https://APP.example", true],
  [["https://app.example"], "https://app.example:443", true],
  [["https://app.example"], "http://app.example", false],
  [["https://app.example"], "https://app.example:444", false],
  [["https://app.example"], "https://app.example/path", false],
  [["https://app.example"], "https://a@app.example", false],
  [["https://app.example"], "null", false],
  [["https://app.example"], "", false],
  [["capacitor://localhost"], "capacitor://localhost", true],
  [["chrome-extension://abc"], "chrome-extension://abd", false],
  [undefined, "https://app.example", false],
  [["null"], "null", false],
])("allowedOrigins %j allows %s: %s", (allowed, sent, isAllowed) => {
  expect(createOriginCheck(allowed)(sent)).toBe(isAllowed);
});

it.each([
  [{}, false],
  [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, false],
  [{ "sec-fetch-site": "none" }, false],
  [{ "sec-fetch-site": "same-site" }, true],
  [{ "sec-fetch-site": "cross-site", origin: "http://own.example:8080" }, true],
  [{ "sec-fetch-site": "" }, true],
  [{ origin: "http://own.example:8080" }, false],
  [{ origin: "http://own.example" }, true],
  [{ origin: "null" }, true],
  [{ origin: "" }, true],
])("the headers %j are of a page of another site: %s", (headers, isOther) => {
  expect(isFromOtherSite(headers, own)).toBe(isOther);
});

it.each([
  ["https://own.example", "own.example", true],
  ["https://own.example", "own.example:443", true],
  ["http://own.example", "own.example:80", true],
  ["https://own.example", "own.example:80", false],
  ["https://own.example:8443", "own.example", false],
  ["ftp://own.example", "own.example", false],
  ["https://evil.example", "own.example", false],
  ["null", "own.example", false],
])("%s is the origin of %s: %s", (from, host, isOwn) => {
  expect(isOriginOfHost(from, readRequestHost("/", host))).toBe(isOwn);
});

it("isOriginOfHost is false for an unknown host", () => {
  expect(isOriginOfHost("https://own.example", undefined)).toBe(false);
});

describe("the options of a server for the source of its requests", () => {
  const { allowedOrigins, allowedHosts } = requestSourceOptions;
  const where = { owner: "createServer" };

  it("may be left out, and are kept as they are", () => {
    expect(allowedOrigins(undefined, "allowedOrigins", where)).toBeUndefined();
    expect(allowedHosts(undefined, "allowedHosts", where)).toBeUndefined();
    expect(allowedOrigins(["https://a.example"], "allowedOrigins", where)).toEqual(["https://a.example"]);
    expect(allowedHosts(["a.example", "[::1]:80"], "allowedHosts", where)).toEqual(["a.example", "[::1]:80"]);
  });

  it.each([["https://a.example/path"], ["a.example"], ["null"], [7]])("no origin is %j", (value) => {
    expect(() => allowedOrigins([value] as never, "allowedOrigins", where)).toThrow(
      /^allowedOrigins\[0\] must be an origin such as "https:\/\/app\.example\.org", without a path, got /,
    );
  });

  it.each([["https://a.example"], ["a b"], [""], [7]])("no host is %j", (value) => {
    expect(() => allowedHosts([value] as never, "allowedHosts", where)).toThrow(
      /^allowedHosts\[0\] must be a name or an address such as "example\.org", "example\.org:8080" or "\[::1\]", got /,
    );
  });

  it.each([["a.example"], [{}], [null]])("%j is no array of them", (value) => {
    expect(() => allowedOrigins(value as never, "allowedOrigins", where)).toThrow(/^allowedOrigins must be .*origins/);
    expect(() => allowedHosts(value as never, "allowedHosts", where)).toThrow(/^allowedHosts must be .*hosts/);
  });
});

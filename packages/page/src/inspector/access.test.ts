import { TroupeError } from "@troupe/core";
import { readPrincipal } from "@troupe/core/transport";
import type { ServiceRequest } from "@troupe/core/service";
import { describe, expect, it } from "vitest";
import { readInspectorCaller } from "./access.ts";
import type { AuthorizeInspector, VisitedExchange } from "./access.ts";

type Sent = {
  headers?: Record<string, string>;
  from?: string | undefined;
  to?: string | undefined;
  httpVersion?: string;
  originalUrl?: string;
  trust?: unknown;
  principal?: unknown;
};

/** A request of a program on this machine, with other facts in their place. */
function visit({
  headers: given = {},
  httpVersion = "1.1",
  originalUrl = "/runs",
  ...sent
}: Sent = {}): VisitedExchange {
  const remoteAddress = "from" in sent ? sent.from : "127.0.0.1";
  const localAddress = "to" in sent ? sent.to : "127.0.0.1";
  const headers = { host: "localhost:3000", ...given };
  const app = { get: (name: string) => (name === "trust proxy" ? sent.trust : true) };
  const exchange = {
    url: originalUrl,
    headers,
    native: { headers, socket: { remoteAddress, localAddress }, httpVersion, app },
    get principal() {
      return readPrincipal(sent.principal, "request.principal");
    },
    toRequest: () => asked,
  };
  return exchange;
}

/** Returns the caller of a request, or the code of the error by which it is refused. */
async function callerOf(sent: Sent, authorize?: AuthorizeInspector): Promise<unknown> {
  try {
    return await readInspectorCaller(visit(sent), authorize);
  } catch (error) {
    return TroupeError.is(error) ? error.code : error;
  }
}

/** The request that `authorize` is given. */
const asked = { protocol: "page" } as unknown as ServiceRequest;

const ada = { userId: "ada", tenantId: "acme" };

describe("readInspectorCaller without authorize", () => {
  it.each<[what: string, sent: Sent]>([
    ["of this machine", {}],
    ["of another loopback address", { from: "127.1.2.3", to: "127.255.255.255" }],
    ["of IPv6", { from: "::1", to: "::1", headers: { host: "[::1]:80" } }],
    ["of IPv4 in IPv6", { from: "::ffff:127.0.0.1", to: "::ffff:127.0.0.1", headers: { host: "127.0.0.1" } }],
    ["to a name below localhost", { headers: { host: "a-1.b.LOCALHOST" } }],
    ["to a target with a host of its own", { originalUrl: "http://localhost/runs", headers: { host: "evil.example" } }],
    ["whose host trusts no proxy", { trust: false }],
    ["whose host trusts 0 proxies", { trust: 0 }],
    ["of its own page", { headers: { "sec-fetch-site": "same-origin", origin: "http://localhost:3000" } }],
  ])("shows all runs to a request %s", async (_, sent) => {
    expect(await callerOf(sent)).toBe("host");
  });

  it("shows a user their own runs", async () => {
    expect(await callerOf({ principal: ada })).toMatchObject(ada);
  });

  it.each<[what: string, sent: Sent]>([
    ["from another address", { from: "192.168.0.7" }],
    ["from an address that only begins like it", { from: "127.0.0.1.evil" }],
    ["from an address that only ends like it", { from: "1127.0.0.1" }],
    ["from no address", { from: undefined }],
    ["to another address", { to: "10.0.0.1" }],
    ["to no address", { to: undefined }],
    ["from an address that only ends in ::1", { from: "fe80::1" }],
    ["to another name", { headers: { host: "example.com" } }],
    ["to a name that only begins like localhost", { headers: { host: "localhost.example.com" } }],
    ["to a name that only ends like localhost", { headers: { host: "notlocalhost" } }],
    ["to a name that is none", { headers: { host: "" } }],
    ["to another name in its target", { originalUrl: "http://evil.example/runs" }],
    ["of HTTP/1.0", { httpVersion: "1.0" }],
    ["whose host trusts all proxies", { trust: true }],
    ["whose host trusts one proxy", { trust: 1 }],
    ["whose host trusts proxies by a name", { trust: "loopback" }],
    ["of another site", { headers: { "sec-fetch-site": "cross-site" } }],
    ["of another page", { headers: { origin: "https://evil.example" } }],
  ])("refuses a request %s", async (_, sent) => {
    expect(await callerOf(sent)).toBe("forbidden");
    expect(await callerOf({ ...sent, principal: ada })).toBe("forbidden");
  });

  it.each([
    "x-forwarded-for",
    "x-forwarded",
    "x-forwarded-anything",
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-original-host",
    "x-original-forwarded-for",
    "x-envoy-external-address",
    "true-client-ip",
    "cf-connecting-ip",
    "cf-ray",
    "fly-client-ip",
    "fastly-client-ip",
    "x-appengine-user-ip",
    "x-azure-clientip",
  ])("refuses a request with the header %s of a proxy", async (name) => {
    expect(await callerOf({ headers: { [name]: "127.0.0.1" } })).toBe("forbidden");
    expect(await callerOf({ headers: { [name]: "" } })).toBe("forbidden");
  });

  it("takes a host of no Express, which trusts no proxy", async () => {
    const local = visit();
    const native = { ...(local.native as object), app: undefined };
    expect(await readInspectorCaller({ ...local, native }, undefined)).toBe("host");
  });

  it("refuses a request of a server whose requests have no socket", async () => {
    const far = { ...visit(), native: {} };
    await expect(readInspectorCaller(far, undefined)).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("readInspectorCaller with authorize", () => {
  const far: Sent = { from: "203.0.113.7", headers: { host: "example.com", via: "1.1 proxy" } };

  it("shows all runs to those whom it lets in, from anywhere, users too", async () => {
    expect(await callerOf(far, () => true)).toBe("host");
    expect(await callerOf({ ...far, principal: ada }, async () => await Promise.resolve(true))).toBe("host");
  });

  it("shows a user their own runs, and nothing to others", async () => {
    for (const authorize of [() => false, async () => await Promise.resolve(false)]) {
      expect(await callerOf({ principal: ada }, authorize)).toMatchObject(ada);
      expect(await callerOf({}, authorize)).toBe("unauthorized");
    }
  });

  it("is asked about the request, and not about one of another site", async () => {
    const requests: unknown[] = [];
    const authorize: AuthorizeInspector = (each) => requests.push(each) > 0;
    await readInspectorCaller(visit(far), authorize);
    expect(await callerOf({ headers: { "sec-fetch-site": "same-site" } }, authorize)).toBe("forbidden");
    expect(requests).toEqual([asked]);
  });

  it("refuses all when it throws, and a principal that is wrong", async () => {
    const error = new Error("No.");
    const refuse = () => {
      throw error;
    };
    expect(await callerOf({ principal: ada }, refuse)).toBe(error);
    expect(await callerOf({ principal: { userId: 7 } }, () => true)).toBe("internal");
  });
});

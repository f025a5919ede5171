import { Agent, TroupeError } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { HostAndOriginGuard } from "@troupe/core/transport";
import type { NodeExchange } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { exchangeOf as exchangeOfRequest } from "../../test/exchanges.ts";
import { createSourceGuard, readCaller } from "./read-caller.ts";

type Sent = { url?: string; originalUrl?: string; headers?: Record<string, string> };

/** Makes the exchange of a request with these headers. */
function exchangeOf(headers: Record<string, string>, more: object = {}): NodeExchange {
  return exchangeOfRequest({ headers, socket: { remoteAddress: "10.0.0.1" }, ...more });
}

/** Returns true if a request passes the check of hosts that each service has, and the guard. */
function passes(options: Parameters<typeof createSourceGuard>[0], { headers = {}, ...more }: Sent): boolean {
  const exchange = exchangeOf(headers, more);
  try {
    new HostAndOriginGuard(options).checkHost(exchange);
    createSourceGuard(options)(exchange);
    return true;
  } catch (error) {
    if (TroupeError.is(error) && error.code === "forbidden") return false;
    throw error;
  }
}

/** A page at a host, which calls the server at the same host. */
const pageOf = (host: string, protocol = "http"): Sent => ({ headers: { host, origin: `${protocol}://${host}` } });

describe("createSourceGuard", () => {
  it.each([
    "localhost",
    "localhost:3000",
    "LOCALHOST",
    "localhost.",
    "app.localhost:80",
    "127.0.0.1",
    "127.0.0.1:3000",
    "127.255.255.254",
    "[::1]",
    "[::1]:3000",
  ])("lets pages of this machine call the service at %s", (host) => {
    expect(passes({}, pageOf(host))).toBe(true);
    expect(passes({}, pageOf(host, "https"))).toBe(true);
  });

  it.each([
    "127.0.0.1.evil.example",
    "127.0.0.1evil.example:80",
    "x127.0.0.1",
    "evil.example",
    "evil-localhost",
    "localhost.evil.example",
    "xlocalhost",
    "128.0.0.1",
    "10.0.0.1",
    "0.0.0.0",
    "[::2]",
    "[::]",
    "[::ffff:127.0.0.1]",
  ])("refuses a page of %s, whose name may lead to this machine", (host) => {
    expect(passes({}, pageOf(host))).toBe(false);
    expect(passes({}, pageOf(`${host.replace(/:80$/, "")}:3000`))).toBe(false);
  });

  it.each([
    ["another host", "http://evil.example"],
    ["another port", "http://localhost:3001"],
    ["no page", "null"],
    ["an empty origin", ""],
    ["a file", "file://localhost:3000"],
    ["an extension", "chrome-extension://localhost:3000"],
  ])("refuses a page of %s at the service on localhost", (_, origin) => {
    expect(passes({}, { headers: { host: "localhost:3000", origin } })).toBe(false);
  });

  it("lets through programs that send no origin, to any host", () => {
    for (const host of ["evil.example", "localhost", "10.0.0.1"]) expect(passes({}, { headers: { host } })).toBe(true);
    expect(passes({}, {})).toBe(true);
    expect(passes({}, { headers: { origin: "http://localhost" } })).toBe(false);
  });

  it("lets pages of allowedOrigins call every host, and those of this machine as well", () => {
    const options = { allowedOrigins: ["https://app.example"] };

    expect(passes(options, { headers: { host: "api.example", origin: "https://app.example" } })).toBe(true);
    expect(passes(options, { headers: { host: "api.example", origin: "https://app.example:444" } })).toBe(false);
    expect(passes(options, { headers: { host: "api.example", origin: "https://api.example" } })).toBe(false);
    expect(passes(options, pageOf("localhost"))).toBe(true);
  });

  it("answers only hosts of allowedHosts, and pages of their own", () => {
    const options = { allowedHosts: ["api.example", "127.0.0.1:3000"] };

    for (const host of ["api.example", "api.example:8080", "127.0.0.1:3000"]) {
      expect(passes(options, { headers: { host } }), host).toBe(true);
      expect(passes(options, pageOf(host)), host).toBe(true);
      expect(passes(options, { headers: { host, origin: "http://evil.example" } }), host).toBe(false);
    }
    for (const host of ["localhost", "127.0.0.1", "evil.example", ""]) {
      expect(passes(options, { headers: { host } }), host).toBe(false);
      expect(passes(options, pageOf(host)), host).toBe(false);
    }
  });

  it("checks the host of allowedHosts for pages of allowedOrigins too", () => {
    const options = { allowedHosts: ["api.example"], allowedOrigins: ["https://app.example"] };

    expect(passes(options, { headers: { host: "api.example", origin: "https://app.example" } })).toBe(true);
    expect(passes(options, { headers: { host: "other.example", origin: "https://app.example" } })).toBe(false);
  });

  it.each(["url", "originalUrl"])("takes the host of a whole address in %s, over the header", (name) => {
    const headers = { host: "localhost", origin: "http://localhost" };

    expect(passes({}, { headers, [name]: "http://evil.example/mcp" })).toBe(false);
    expect(passes({}, { headers: { ...headers, host: "evil.example" }, [name]: "http://localhost/mcp" })).toBe(true);
  });

  it("takes the address that Express keeps over the one that a router has shortened", () => {
    const { headers = {} } = pageOf("localhost");

    expect(passes({}, { headers, originalUrl: "http://evil.example/mcp", url: "/" })).toBe(false);
  });
});

describe("readCaller", () => {
  const helper = new Agent({ name: "helper", model: new ScriptedModel() });
  const read = (exchange: NodeExchange, options: ServiceOptions = {}) =>
    readCaller(exchange, createService({ agents: { helper }, ...options }));
  const keys = {
    "x-openai-api-key": "sk-openai",
    "x-anthropic-api-key": "sk-anthropic",
    "x-google-api-key": "sk-google",
    "x-api-key": "sk-any",
  };

  it("reads nothing from a request without headers", () => {
    const source = exchangeOf({});

    expect(read(source)).toEqual({
      source,
      record: source.record,
      opts: { apiKeys: {} },
      secrets: [undefined],
      address: undefined,
    });
  });

  it("reads keys, the user and the session", () => {
    const principal = { userId: "ada", tenantId: "t", role: "admin" };
    const { opts, session } = read(exchangeOf({ ...keys, "mcp-session-id": "s1" }, { principal }));

    expect(opts).toEqual({
      apiKeys: { openai: "sk-openai", anthropic: "sk-anthropic", google: "sk-google" },
      apiKey: "sk-any",
      userId: "ada",
      tenantId: "t",
    });
    expect(session).toBe("s1");
  });

  it("names each key and the header authorization as a secret", () => {
    const { secrets } = read(exchangeOf({ ...keys, authorization: "Bearer token" }));

    expect(new Set(secrets)).toEqual(new Set(["Bearer token", ...Object.values(keys)]));
  });

  it("leaves x-api-key to the host without genericApiKeyHeader, and still hides it", () => {
    const { opts, secrets } = read(exchangeOf(keys), { genericApiKeyHeader: false });

    expect(opts).not.toHaveProperty("apiKey");
    expect(secrets).toContain("sk-any");
  });

  it("refuses a key that was sent twice, and a principal without a user", () => {
    // Node joins the values of such a header.
    expect(() => read(exchangeOf({ "x-api-key": "sk-one, sk-two" }))).toThrow(
      expect.objectContaining({ code: "invalid_request" }) as Error,
    );
    for (const principal of [null, "ada", {}, { userId: 7 }, { userId: "" }, { tenantId: "t" }]) {
      expect(() => read(exchangeOf({}, { principal }))).toThrow(expect.objectContaining({ code: "internal" }) as Error);
    }
  });

  it("reads an address only where the host trusts addresses, and then that of Express first", () => {
    const trusting = { trustAddresses: true };

    expect(read(exchangeOf({}, { ip: "1.2.3.4" })).address).toBeUndefined();
    expect(read(exchangeOf({}, { ip: "1.2.3.4" }), trusting).address).toBe("1.2.3.4");
    expect(read(exchangeOf({}), trusting).address).toBe("10.0.0.1");
  });
});

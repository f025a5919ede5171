import { describe, expect, it } from "vitest";
import { HostAndOriginGuard } from "./request-source.ts";

const refusal = expect.objectContaining({ code: "forbidden" }) as Error;

describe("HostAndOriginGuard", () => {
  it.each<[Record<string, string>]>([
    [{ host: "own.example" }],
    [{ host: "own.example", origin: "https://own.example" }],
    [{ host: "own.example:8080", origin: "https://own.example", "sec-fetch-site": "same-origin" }],
    [{ host: "own.example", "sec-fetch-site": "none" }],
    [{ host: "own.example", origin: "https://app.example", "sec-fetch-site": "cross-site" }],
  ])("takes a request with the headers %j", (headers) => {
    const guard = new HostAndOriginGuard({ allowedOrigins: ["https://app.example"], allowedHosts: ["own.example"] });

    expect(() => guard.checkHost({ url: "/", headers })).not.toThrow();
    expect(() => guard.checkPage({ url: "/", headers })).not.toThrow();
  });

  it.each<[Record<string, string>]>([
    [{ host: "own.example", origin: "https://evil.example" }],
    [{ host: "own.example", origin: "null" }],
    [{ host: "own.example", origin: "", "sec-fetch-site": "cross-site" }],
    [{ host: "own.example", "sec-fetch-site": "cross-site" }],
    [{ host: "own.example", origin: "https://sub.own.example", "sec-fetch-site": "same-site" }],
    [{ host: "own.example", origin: "https://app.example:8443" }],
    [{ host: "own.example", origin: "https://app.example.evil.example" }],
    [{ origin: "https://own.example" }],
  ])("refuses the page of a request with the headers %j", (headers) => {
    const guard = new HostAndOriginGuard({ allowedOrigins: ["https://app.example"] });

    expect(() => guard.checkPage({ url: "/", headers })).toThrow(refusal);
  });

  it.each<[Record<string, string>]>([
    [{ host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "same-origin" }],
    [{ origin: "https://own.example" }],
    [{}],
  ])("refuses the host of a request with the headers %j where hosts are listed, and no host else", (headers) => {
    const named = new HostAndOriginGuard({ allowedHosts: ["own.example"] });

    expect(() => named.checkHost({ url: "/", headers })).toThrow(refusal);
    new HostAndOriginGuard({}).checkHost({ url: "/", headers });
  });

  it("reads the host of the whole target where a router has cut the url", () => {
    const guard = new HostAndOriginGuard({ allowedHosts: ["own.example"] });
    const request = { originalUrl: "http://own.example/agents", url: "/agents", headers: { host: "evil.example" } };

    guard.checkHost(request);
    expect(() => guard.checkHost({ ...request, originalUrl: undefined })).toThrow(refusal);
  });
});

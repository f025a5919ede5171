import { lookup } from "node:dns";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveLoopback } from "../../../test/loopback-server.ts";
import { echo, type Echo } from "../../../test/pooled.ts";
import { fetchHop } from "./fetch-hop.ts";
import type { HopRequest } from "./fetch-hop.ts";

const headers = {
  Accept: "text/plain",
  "Accept-Language": "de",
  "User-Agent": "troupe",
  "Content-Type": "text/plain",
  "Content-Language": "de",
  Authorization: "Bearer sk-1",
  Cookie: "a=b",
  "X-Api-Key": "sk-2",
};
const { "Content-Type": _type, "Content-Language": _language, ...bodiless } = headers;
const harmless = { Accept: "text/plain", "Accept-Language": "de", "User-Agent": "troupe" };

/** Sends a request to a server, within these limits. */
async function hop(request: Partial<HopRequest> & { url: URL }, { maxBytes = 1000 } = {}) {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  return await fetchHop({ method: "GET", headers, ...request }, { lookup, maxBytes, signal: abort.signal });
}

/** Starts a server that redirects. */
async function redirecting(status: number, location: string | undefined) {
  const { url } = await serveLoopback((_, response) =>
    response.writeHead(status, location === undefined ? {} : { location }).end("moved"),
  );
  return new URL("/from", url);
}

describe("a hop that is answered", () => {
  it("has its status, headers, address and bytes", async () => {
    const { url } = await serveLoopback((_, response) => response.writeHead(404, { "x-one": ["1", "2"] }).end("é"));
    const reply = await hop({ url: new URL("/a?b#c", url) });
    expect(reply).toMatchObject({ status: 404, url: `${url}/a?b#c`, bytes: Buffer.from("é") });
    expect("headers" in reply && new Headers(reply.headers).get("x-one")).toBe("1, 2");
  });

  it("has sent its method, headers and body", async () => {
    const { url } = await serveLoopback(echo);
    const reply = await hop({ url: new URL("/a?b", url), method: "PUT", body: "hi" });
    const seen = JSON.parse("bytes" in reply ? Buffer.from(reply.bytes).toString() : "") as Echo;
    expect(seen).toMatchObject({ method: "PUT", url: "/a?b", body: "hi", headers: { authorization: "Bearer sk-1" } });
  });

  it.each([
    ["its head", false],
    ["its bytes", true],
  ])("ends with the signal's reason while it waits for %s, and leaves no connection", async (_title, hasHead) => {
    const abort = new AbortController();
    const reason = new Error("The user left.");
    const server = await serveLoopback((_, response) => {
      if (hasHead) response.write("first");
      setTimeout(() => abort.abort(reason), 5);
    });
    const request = { url: new URL(server.url), method: "GET", headers };
    await expect(fetchHop(request, { lookup, maxBytes: 1000, signal: abort.signal })).rejects.toBe(reason);
    await vi.waitFor(() => expect(server.open()).toBe(0), { interval: 5 });
  });

  it.each([
    [3, true],
    [2, false],
  ])("a hop that is answered with 3 bytes of at most %d is taken: %s", async (maxBytes, isTaken) => {
    const { url } = await serveLoopback((_, response) => {
      response.write("a");
      setImmediate(() => response.end("bc"));
    });
    const outcome = await hop({ url: new URL(url) }, { maxBytes }).catch((error: unknown) => error);
    expect(outcome).toMatchObject(
      isTaken ? { status: 200 } : { code: "invalid_request", fields: { reason: "too_large" } },
    );
  });

  it.each([
    [300, "/to"],
    [304, "/to"],
    [305, "/to"],
    [200, "/to"],
    [301, undefined],
    [308, undefined],
  ])("a hop that is answered with %d and the location %s is no redirect", async (status, location) => {
    expect(await hop({ url: await redirecting(status, location) })).toMatchObject({ status });
  });
});

describe("a hop that is redirected", () => {
  it.each([
    [301, "GET", "GET"],
    [301, "POST", "GET"],
    [301, "PUT", "PUT"],
    [301, "HEAD", "HEAD"],
    [302, "POST", "GET"],
    [302, "DELETE", "DELETE"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
  ])(
    "a hop that is redirected by %d goes on from %s as %s, at the same origin with its headers",
    async (status, method, next) => {
      const url = await redirecting(status, "to?x#y");
      const body = method === "HEAD" || method === "GET" ? {} : { body: "hi" };
      const isKept = next === method && method !== "GET";
      const moved = { url: new URL("/to?x#y", url), method: next };
      const asGet = status === 303 || (status < 303 && method === "POST");
      const expected = asGet && next === "GET" ? { ...moved, headers: bodiless } : { ...moved, headers, ...body };
      expect(await hop({ url, method, ...body })).toStrictEqual(
        isKept || !asGet ? { ...moved, headers, ...body } : expected,
      );
    },
  );

  it("goes to another origin with harmless headers alone", async () => {
    const url = await redirecting(302, "https://other.example/to");
    expect(await hop({ url })).toStrictEqual({
      url: new URL("https://other.example/to"),
      method: "GET",
      headers: harmless,
    });
    expect(await hop({ url, method: "POST", body: "hi" })).toStrictEqual({
      url: new URL("https://other.example/to"),
      method: "GET",
      headers: harmless,
    });
  });

  it("is another origin at another port or scheme", async () => {
    const { port } = await redirecting(302, "/to");
    const url = await redirecting(302, `http://127.0.0.1:${port}/to`);
    expect(await hop({ url })).toMatchObject({ headers: harmless });
    const secure = await redirecting(302, "//localhost/to");
    expect(await hop({ url: secure })).toMatchObject({ url: new URL("http://localhost/to"), headers: harmless });
  });

  it.each([307, 308])("a hop that is redirected by %d never takes a body to another origin", async (status) => {
    const url = await redirecting(status, "https://other.example/to");
    await expect(hop({ url, method: "POST", body: "hi" })).rejects.toMatchObject({
      code: "invalid_request",
      fields: { reason: "redirected_body" },
    });
  });

  it("is refused to what is no address", async () => {
    const url = await redirecting(302, "http://[");
    await expect(hop({ url })).rejects.toMatchObject({ code: "invalid_request", fields: { reason: "not_http" } });
  });
});

import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import express from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { routerOf, scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";

const shared = "/.well-known/agent-card.json";
const ofAgent = (name: string): string => `/agents/${encodeURIComponent(name)}${shared}`;
const name = "Müller 1";
const agents = { helper: scriptedAgent([]), [name]: scriptedAgent([], { description: "Zählt 🐑." }) };

const serve = async (baseUrl?: string) => await serveA2A({ agents, ...(baseUrl !== undefined && { baseUrl }) });

describe("the cards of a server", () => {
  it.each([
    [undefined, "Host, A2A-Version, Accept", "private, max-age=300"],
    ["https://a.example", "A2A-Version, Accept", "public, max-age=3600"],
  ])("may be kept as far as their address reaches, for the base URL %s", async (baseUrl, vary, cacheControl) => {
    const { url } = await serve(baseUrl);
    for (const path of [shared, ofAgent("helper")]) {
      const { headers } = await fetch(url + path);
      expect(headers.get("vary")).toBe(vary);
      expect(headers.get("cache-control")).toBe(cacheControl);
      expect(headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  it("encode the name of an agent in its address, behind the base URL without its slashes", async () => {
    const { url } = await serve("https://a.example//");
    const card = await (await fetch(url + ofAgent(name))).json();
    expect(card).toMatchObject({ url: "https://a.example/agents/M%C3%BCller%201" });
  });

  it("have a length in bytes, also for HEAD, and no body where the client has them", async () => {
    const { url } = await serve();
    const got = await fetch(url + ofAgent(name));
    const bytes = (await got.arrayBuffer()).byteLength;
    expect(got.headers.get("content-length")).toBe(String(bytes));
    const head = await fetch(url + ofAgent(name), { method: "HEAD" });
    expect([head.headers.get("content-length"), await head.text()]).toEqual([String(bytes), ""]);
    const tag = got.headers.get("etag") ?? "";
    const again = await fetch(url + ofAgent(name), { headers: { "if-none-match": tag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", tag]);
  });

  it("are not sent to a client that has them, as its If-None-Match says by a list, weak tags or a star", async () => {
    const { url } = await serve("https://a.example");
    const statusOf = async (tags: string | readonly string[], method: string): Promise<number> => {
      const headers = [tags].flat().map((each): [string, string] => ["if-none-match", each]);
      const answer = await fetch(url + shared, { method, headers });
      expect(answer.headers.get("etag")).toBe(tag);
      expect((await answer.text()) !== "").toBe(answer.status === 200 && method === "GET");
      return answer.status;
    };
    const tag = (await fetch(url + shared, { method: "HEAD" })).headers.get("etag") ?? "";
    const known = [
      tag,
      `W/${tag}`,
      "*",
      "\t* ",
      `"a", W/"b,c" ,,${tag}`,
      `${tag},"a"`,
      `"a",W/${tag},"b"`,
      ['"a"', tag],
      ["", tag, '"b"'],
    ];
    const unknown = [
      '"a"',
      "",
      tag.slice(1, -1),
      tag.toLowerCase(),
      `${tag.slice(0, -1)}-gzip"`,
      `"a${tag.slice(1)}`,
      `w/${tag}`,
      '"*"',
      '"a", *',
    ];
    for (const method of ["GET", "HEAD"]) {
      for (const tags of known) expect([tags, await statusOf(tags, method)]).toEqual([tags, 304]);
      for (const tags of unknown) expect([tags, await statusOf(tags, method)]).toEqual([tags, 200]);
    }
  });

  it("are beside the public keys of notifications, which any page may read and keep", async () => {
    const { url } = await serveA2A({ agents, pushNotifications: true });
    const response = await fetch(`${url}/.well-known/jwks.json`);
    const text = await response.text();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=300",
      "content-type": "application/jwk-set+json",
      "content-length": String(Buffer.byteLength(text)),
    });
    expect(JSON.parse(text)).toEqual({ keys: [expect.objectContaining({ kty: "EC", alg: "ES256" })] });
  });

  it.each(["nobody", "constructor", "__proto__"])("are left to the host for an agent %s", async (unknown) => {
    const { url } = await serve();
    expect((await fetch(url + ofAgent(unknown))).status).toBe(404);
    expect((await fetch(`${url}/agents/${unknown}`)).status).toBe(404);
  });

  it.each([
    [{}, false],
    [{ accept: "text/plain, Application/A2A+json;q=1" }, true],
    [{ accept: "application/a2a+json ; q=1, text/plain" }, true],
    [{ accept: "application/a2a+json,text/plain" }, true],
    [{ accept: "application/a2a+json-seq" }, false],
    [{ accept: "x-application/a2a+json" }, false],
    [{ accept: "application/a2aaajson" }, false],
    [{ "a2a-version": "", accept: "application/a2a+json" }, false],
    [{ "a2a-version": "1.0.7" }, true],
    [{ "a2a-version": "9.0", accept: "application/a2a+json" }, false],
    [{ "a2a-version": "1.0" }, true],
    [{ "a2a-version": "0.3", accept: "application/a2a+json" }, false],
  ])("are of 1.0 for the headers %j: %s", async (headers, is1) => {
    const { url } = await serve();
    const card = (await (await fetch(url + ofAgent("helper"), { headers })).json()) as object;
    expect("supportedInterfaces" in card && !("url" in card)).toBe(is1);
  });

  it("have one time of their last change, in the format of HTTP, however much later they are asked for", async () => {
    const { url } = await serve();
    const lastModified = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, { method: "HEAD", headers });
      return response.headers.get("last-modified");
    };
    const first = await lastModified(shared);
    expect(first).toMatch(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
    expect(Date.parse(first ?? "")).toBeLessThanOrEqual(Date.now());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());

    expect(await lastModified(ofAgent("helper"))).toBe(first);
    expect(await lastModified(shared, { "if-none-match": "*" })).toBe(first);
  });

  it("name the protocol, host and path at which a proxy and the host's application serve them", async () => {
    const app = express()
      .set("trust proxy", true)
      .use("/sub", routerOf({ agents, basePath: "/a2a" }));
    const server = app.listen(0, "127.0.0.1");
    await new Promise<void>((resolve) => server.once("listening", resolve));
    onTestFinished(() => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}/sub/a2a`;
    const card = await (await fetch(`${base}/agents/helper${shared}`)).json();
    expect(card).toMatchObject({ url: `${base}/agents/helper` });

    const headers = { "x-forwarded-proto": "https" };
    const behindProxy = await (await fetch(`${base}/agents/helper${shared}`, { headers })).json();
    expect(behindProxy).toMatchObject({ url: `https://127.0.0.1:${port}/sub/a2a/agents/helper` });
  });

  it("name localhost for a client of HTTP/1.0 that names no host", async () => {
    const { server } = await serve();
    const { port } = server.address() as AddressInfo;
    const answer = await readText(connect(port, "127.0.0.1").end(`GET ${shared} HTTP/1.0\r\n\r\n`));

    expect(answer).toContain('"url":"http://localhost/"');
  });
});

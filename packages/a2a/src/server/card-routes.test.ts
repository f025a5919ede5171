import { describe, expect, it } from "vitest";
import { scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";

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

  it.each(["nobody", "constructor", "__proto__"])("are left to the host for an agent %s", async (unknown) => {
    const { url } = await serve();
    expect((await fetch(url + ofAgent(unknown))).status).toBe(404);
  });

  it.each([
    [{}, false],
    [{ accept: "text/plain, Application/A2A+json;q=1" }, true],
    [{ accept: "application/a2a+json-seq" }, false],
    [{ "a2a-version": "1.0" }, true],
    [{ "a2a-version": "0.3", accept: "application/a2a+json" }, false],
  ])("are of 1.0 for the headers %j: %s", async (headers, is1) => {
    const { url } = await serve();
    const card = (await (await fetch(url + ofAgent("helper"), { headers })).json()) as object;
    expect("supportedInterfaces" in card && !("url" in card)).toBe(is1);
  });
});

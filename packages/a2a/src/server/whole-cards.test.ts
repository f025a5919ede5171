import { request } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import type { A2AServerOptions } from "../../test/serve-a2a.ts";

const agents = {
  one: scriptedAgent([], { description: "Counts." }),
  two: scriptedAgent([], { description: "Sings." }),
};
const securitySchemes = { bearer: { type: "http", scheme: "bearer" } } as const;
const options: A2AServerOptions = {
  agents,
  basePath: "/a2a",
  baseUrl: "https://a.example/",
  version: "2.1.0",
  provider: { organization: "Ada & Co", url: "https://ada.example" },
  securitySchemes,
  security: [{ bearer: [] }],
  extendedCard: () => undefined,
  pushNotifications: true,
};

async function jsonAt(url: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  return (await (await fetch(url, { headers })).json()) as Record<string, unknown>;
}

const paths = ["/.well-known/agent.json", "/.well-known/agent-card.json"];

describe("the card of a server with all options", () => {
  it.each([
    ["all agents", "", undefined, "https://a.example/a2a"],
    ["one agent", "/a2a/agents/two", "two", "https://a.example/a2a/agents/two"],
  ])("tells of %s, with the same facts in each form", async (...[, path, name, url]) => {
    const served = await serveA2A(options);
    const [old, hybrid] = await Promise.all(paths.map(async (end) => await jsonAt(served.url + path + end)));
    const one = await jsonAt(`${served.url}${path}${paths[1] ?? ""}`, { "a2a-version": "1.0" });
    const atEndpoint = await jsonAt(served.url + (path || "/a2a"), { "a2a-version": "1.0" });

    expect(old).toEqual(hybrid);
    expect(atEndpoint).toEqual(one);
    expect(old).toMatchObject({
      ...(name !== undefined && { name, description: "Sings." }),
      url,
      version: "2.1.0",
      protocolVersion: "0.3.0",
      provider: { organization: "Ada & Co", url: "https://ada.example" },
      capabilities: { streaming: true, pushNotifications: true },
      supportsAuthenticatedExtendedCard: true,
      security: [{ bearer: [] }],
    });
    expect(Object.keys(old?.["securitySchemes"] as object)).toEqual(["bearer"]);
    expect((old?.["skills"] as { id: string }[] | undefined)?.map(({ id }) => id)).toEqual(
      name === undefined ? ["one", "two"] : [name],
    );
    expect(one).toMatchObject({
      name: old?.["name"],
      description: old?.["description"],
      version: "2.1.0",
      provider: { organization: "Ada & Co", url: "https://ada.example" },
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      supportedInterfaces: [
        { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: `${url}/rest`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
        { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      ],
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    });
  });

  it.each(paths)("has its headers, and tells by its tag that it is unchanged: %s", async (path) => {
    const served = await serveA2A(options);
    const url = served.url + path;
    const { status, headers } = await fetch(url);
    const tag = headers.get("etag") ?? "";
    expect(status).toBe(200);
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    expect(headers.get("content-type")).toBe("application/json");
    expect(Date.parse(headers.get("last-modified") ?? "")).toBeLessThanOrEqual(Date.now());
    const unchanged = await fetch(url, { headers: { "if-none-match": tag } });
    expect(unchanged.status).toBe(304);
    for (const name of ["etag", "last-modified", "vary", "cache-control", "access-control-allow-origin"])
      expect(unchanged.headers.get(name)).toBe(headers.get(name));
    for (const other of [`"${"x".repeat(27)}"`, tag.slice(1, -1)])
      expect((await fetch(url, { headers: { "if-none-match": other } })).status).toBe(200);
    const others = await serveA2A({ ...options, version: "2.1.1" });
    expect((await fetch(others.url + path)).headers.get("etag")).not.toBe(tag);
  });

  it("has a tag of its own for each agent and version", async () => {
    const { url } = await serveA2A(options);
    const tags = await Promise.all(
      ["", "/a2a/agents/one", "/a2a/agents/two"].flatMap((path) =>
        ["0.3", "1.0"].map(async (version) => {
          const headers = { "a2a-version": version };
          return (await fetch(`${url}${path}/.well-known/agent-card.json`, { headers })).headers.get("etag");
        }),
      ),
    );
    expect(new Set(tags).size).toBe(6);
  });

  it("is left to the host at the endpoint for browsers, and for agents that are not known", async () => {
    const { url } = await serveA2A(options);
    const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    for (const method of ["GET", "HEAD"]) {
      const statusOf = async (path: string, headers = {}) => (await fetch(url + path, { method, headers })).status;
      expect(await statusOf("/a2a", html)).toBe(404);
      expect(await statusOf("/a2a/agents/one", html)).toBe(404);
      expect(await statusOf("/a2a")).toBe(200);
      expect(await statusOf("/a2a/agents/one")).toBe(200);
      expect(await statusOf("/a2a/agents/three")).toBe(404);
      expect(await statusOf("/a2a/.well-known/agent-card.json")).toBe(404);
    }
  });
});

describe("the card of a server with the agents alone", () => {
  it("declares nothing that is not there", async () => {
    const { url } = await serveA2A({ agents });
    const old = await jsonAt(`${url}/.well-known/agent.json`);
    expect(old).toMatchObject({
      url: `${url}/`,
      version: "1.0.0",
      capabilities: { streaming: true, pushNotifications: false },
      supportsAuthenticatedExtendedCard: false,
    });
    for (const name of ["security", "securitySchemes"]) expect(old).not.toHaveProperty(name);
    const one = await jsonAt(`${url}/agents/one/.well-known/agent-card.json`);
    expect(one).toMatchObject({ name: "one", url: `${url}/agents/one` });
  });
});

describe("the public keys of push notifications", () => {
  it("are JSON of their type, for all and for five minutes, also with HEAD", async () => {
    const { url } = await serveA2A(options);
    const response = await fetch(`${url}/.well-known/jwks.json`);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/jwk-set+json",
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*",
      "content-length": String(Buffer.byteLength(text)),
    });
    const { keys } = JSON.parse(text) as { keys: Record<string, unknown>[] };
    expect(keys.map(({ kid, alg, use }) => [typeof kid, typeof alg, use])).toEqual([["string", "string", "sig"]]);
    expect(keys[0]).not.toHaveProperty("d");
    const head = await fetch(`${url}/.well-known/jwks.json`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(Buffer.byteLength(text))]);
  });

  it("are left to the host where none are sent", async () => {
    const { url } = await serveA2A({ agents });
    expect((await fetch(`${url}/.well-known/jwks.json`)).status).toBe(404);
  });
});

describe("the card of a server without a base URL", () => {
  /** Asks as a client that reaches the server by this name. */
  const cardBy = async (url: string, host: string): Promise<{ url: string }> =>
    await new Promise((resolve, reject) => {
      const asked = request(`${url}/.well-known/agent.json`, { headers: { host } }, (response) =>
        resolve(json(response) as Promise<{ url: string }>),
      );
      asked.on("error", reject).end();
    });

  it("names the host that each client has asked, also after others have", async () => {
    const { url } = await serveA2A({ agents, basePath: "/a2a" });
    const hosts = ["one.example", "two.example:8080", "one.example"];
    const cards = [];
    for (const host of hosts) cards.push(await cardBy(url, host));

    expect(cards.map((card) => card.url)).toEqual(hosts.map((host) => `http://${host}/a2a`));
  });
});

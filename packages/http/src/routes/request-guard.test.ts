import { once } from "node:events";
import { request as sendRequest } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { createService } from "@troupe/core/service";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { sendRaw } from "../../test/raw.ts";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import type { Service } from "../../test/service.ts";

type Sent = { method?: string; path?: string; headers?: OutgoingHttpHeaders; body?: string };
type Got = { status: number; error: { code: string; message: string } | undefined };

/** Sends a request with any headers, as a browser or a proxy would, and not as `fetch` may. */
async function send({ port }: Service, { method = "POST", path, headers, body = "" }: Sent): Promise<Got> {
  const sent = sendRequest({
    port,
    host: "127.0.0.1",
    path,
    method,
    headers: { host: "own.example:3000", ...headers },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += String(piece);
  const isJson = String(response.headers["content-type"]).startsWith("application/json");
  const { error } = (isJson ? JSON.parse(text) : {}) as { error?: Got["error"] };
  return { status: response.statusCode ?? 0, error };
}

const form = { "content-type": "multipart/form-data; boundary=x" };
const formBody = '--x\r\nContent-Disposition: form-data; name="input"\r\n\r\nHello\r\n--x--\r\n';
const json = { "content-type": "application/json" };
const run = { path: "/agents/a/run", headers: form, body: formBody };
const foreign = { status: 403, error: { code: "forbidden", message: expect.stringContaining("allowedOrigins") } };

function from(headers: OutgoingHttpHeaders): Sent {
  return { ...run, headers: { ...form, ...headers } };
}

async function serveForms(options: Parameters<typeof serve>[0] = {}, hosting: Parameters<typeof serve>[1] = {}) {
  return await serve({ agents: { a: talker() }, fileUpload: true, ...options }, hosting);
}

describe("a form from a page", () => {
  it.each<[string, OutgoingHttpHeaders]>([
    ["another site, by Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
    ["another site that claims our origin", { "sec-fetch-site": "cross-site", origin: "http://own.example:3000" }],
    ["a site beside ours", { "sec-fetch-site": "same-site", origin: "http://evil.own.example" }],
    ["a site of an unknown kind", { "sec-fetch-site": "Same-Origin" }],
    ["two sites", { "sec-fetch-site": ["same-origin", "cross-site"] as never }],
    ["another origin", { origin: "https://evil.example" }],
    ["another port of this host", { origin: "http://own.example:4000" }],
    ["the host without its port", { origin: "http://own.example" }],
    ["a hidden origin", { origin: "null" }],
    ["an empty origin", { origin: "" }],
    ["an app with our name", { origin: "app://own.example:3000" }],
    ["a host that ends in ours", { origin: "http://evil-own.example:3000" }],
    ["an origin with a path", { origin: "http://evil.example/http://own.example:3000" }],
    ["a forwarded host", { origin: "https://evil.example", "x-forwarded-host": "evil.example" }],
    ["its own host, to a request with another one", { origin: "http://own.example:3000", host: "other.example" }],
    ["a user of our host", { origin: "http://evil.example", host: "own.example@evil.example" }],
  ])("is refused from %s [http.other-sites]", async (_, headers) => {
    const service = await serveForms();

    expect(await send(service, from(headers))).toMatchObject(foreign);
  });

  it.each<[string, OutgoingHttpHeaders]>([
    ["no browser", {}],
    ["our own site, by Sec-Fetch-Site", { "sec-fetch-site": "same-origin", origin: "https://behind.a.proxy" }],
    ["the user", { "sec-fetch-site": "none" }],
    ["our own origin", { origin: "http://own.example:3000" }],
    ["our own origin in other letters", { origin: "http://own.example:3000", host: "OWN.Example:3000" }],
    ["our own origin over TLS that a proxy ends", { origin: "https://own.example", host: "own.example:443" }],
    ["our own address in IPv6", { origin: "http://[::1]:3000", host: "[0:0:0:0:0:0:0:1]:3000" }],
  ])("is taken from %s [http.other-sites]", async (_, headers) => {
    const service = await serveForms();

    expect(await send(service, from(headers))).toEqual({ status: 200, error: undefined });
  });

  it("is taken from an origin in allowedOrigins, and from no other [http.allowed-origins]", async () => {
    const allowedOrigins = ["https://App.example.org:443/", "capacitor://localhost", "http://localhost:5173"];
    const service = await serveForms({ allowedOrigins });
    const statusOf = async (headers: OutgoingHttpHeaders) => (await send(service, from(headers))).status;

    expect(await statusOf({ "sec-fetch-site": "cross-site", origin: "https://app.example.org" })).toBe(200);
    expect(await statusOf({ origin: "https://app.example.org" })).toBe(200);
    expect(await statusOf({ origin: "capacitor://localhost" })).toBe(200);
    expect(await statusOf({ origin: "http://localhost:5173" })).toBe(200);
    expect(await statusOf({ origin: "http://own.example:3000" })).toBe(200);
    for (const origin of [
      "http://app.example.org",
      "https://app.example.org:444",
      "http://localhost:5174",
      "http://localhost",
      "https://x.app.example.org",
      "null",
    ]) {
      expect([origin, await statusOf({ "sec-fetch-site": "cross-site", origin })]).toEqual([origin, 403]);
    }
  });
});

describe("a request from another site's page", () => {
  const elsewhere = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };

  it.each<[string, Sent]>([
    ["a form without files", { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "input=x" }],
    ["JSON that calls itself text", { headers: { "content-type": "Text/Plain;charset=utf-8" }, body: '{"input":"x"}' }],
    ["a body without a type", { body: '{"input":"x"}' }],
    ["no body", {}],
    ["a stream", { path: "/agents/a/stream", headers: form, body: formBody }],
    ["a cancellation", { path: "/runs/x/cancel" }],
    ["a path in capitals", { path: "/AGENTS/a/run/", headers: form, body: formBody }],
    ["a path that does not exist", { path: "/workflows/none/run", headers: form }],
  ])(
    "is refused before the middleware when the browser sends it without asking: %s [http.other-sites]",
    async (_, sent) => {
      let seen = 0;
      const count: RequestHandler = (_request, _response, next) => next(void seen++);
      const service = await serveForms({ middleware: [count] });

      const answer = await send(service, {
        path: "/agents/a/run",
        ...sent,
        headers: { ...sent.headers, ...elsewhere },
      });

      expect(answer).toMatchObject(foreign);
      expect(seen).toBe(0);
    },
  );

  it("is the host's CORS to decide when the browser asks first [http.other-sites]", async () => {
    const service = await serveForms();
    const statusOf = async (sent: Sent) =>
      (await send(service, { ...sent, headers: { ...sent.headers, ...elsewhere } })).status;

    expect(await statusOf({ path: "/agents/a/run", headers: json, body: '{"input":"x","sessionId":"s"}' })).toBe(200);
    expect(await statusOf({ path: "/sessions/s", method: "PATCH", headers: json, body: '{"title":"T"}' })).toBe(200);
    expect(await statusOf({ path: "/sessions/s", method: "DELETE" })).toBe(204);
    expect(await statusOf({ path: "/agents", method: "GET" })).toBe(200);
    expect(await statusOf({ path: "/agents/a/run", method: "OPTIONS" })).toBe(204);
  });

  it("is refused where the router is mounted, and reaches the host's own pages", async () => {
    const signIn: RequestHandler = (_, response) => void response.writeHead(200).end();
    const service = await serveForms({}, { at: "/api", behind: [signIn] });

    expect(await send(service, { ...from(elsewhere), path: "/api/agents/a/run" })).toMatchObject(foreign);
    expect(await send(service, { ...from(elsewhere), path: "/api/sign-in" })).toMatchObject({ status: 200 });
    expect(await send(service, { ...from(elsewhere), path: "/agents/a/run" })).toMatchObject({ status: 200 });
  });
});

describe("a router with allowedHosts", () => {
  const options = { allowedHosts: ["Own.Example", "127.0.0.1", "[::1]", "api.example:8080"], swagger: {} };
  const refused = { status: 403, error: { code: "forbidden", message: expect.stringContaining("allowedHosts") } };

  it.each([
    "own.example",
    "OWN.example:3000",
    "own.example.",
    "own.example.:80",
    "own.example:",
    "127.0.0.1:3000",
    "127.1",
    "[::1]:3000",
    "[0:0::1]",
    "api.example:8080",
  ])("answers requests to %s [http.allowed-hosts]", async (host) => {
    const service = await serveForms(options);

    expect(await send(service, { method: "GET", path: "/health", headers: { host } })).toMatchObject({ status: 200 });
  });

  it.each([
    "evil.example",
    "own.example.evil.example",
    "sub.own.example",
    "own.example@evil.example",
    "evil.example/own.example",
    "own.example:3000:80",
    "own.example:x",
    "own.example evil",
    "api.example",
    "api.example:80",
    "[::2]",
    "[::1",
    "::1",
    "127.0.0.1.evil.example",
  ])("refuses requests to %j, whatever they ask for [http.allowed-hosts]", async (host) => {
    const service = await serveForms(options);
    const more = { "x-forwarded-host": "own.example", "sec-fetch-site": "same-origin" };

    for (const path of ["/health", "/ready", "/docs", "/docs/spec.json", "/agents", "/sessions/s", "/elsewhere"]) {
      expect(await send(service, { method: "GET", path, headers: { host, ...more } })).toMatchObject(refused);
    }
    expect(await send(service, { ...run, headers: { ...json, host } })).toMatchObject(refused);
    expect(await send(service, { path: "/agents/a/run", method: "OPTIONS", headers: { host } })).toMatchObject(refused);
  });

  it("goes by the target where that names a host, and refuses requests that name none [http.allowed-hosts]", async () => {
    const service = await serveForms(options, { onNode: "the URL of a Request always has a host" });
    const statusOf = async (line: string, host: string) => {
      return (await sendRaw(service, `${line}\r\n${host}Connection: close\r\n\r\n`)).slice("HTTP/1.1 ".length, 12);
    };

    expect(await statusOf("GET http://evil.example/agents HTTP/1.1", "Host: own.example\r\n")).toBe("403");
    expect(await statusOf("GET http://own.example@evil.example/agents HTTP/1.1", "Host: own.example\r\n")).toBe("403");
    expect(await statusOf("GET http://own.example/agents HTTP/1.1", "Host: evil.example\r\n")).toBe("200");
    expect(await statusOf("GET /agents HTTP/1.1", "Host:\r\n")).toBe("403");
    expect(await statusOf("GET /agents HTTP/1.0", "")).toBe("403");
    expect(await statusOf("GET /agents HTTP/1.0", "Host: own.example\r\n")).toBe("200");
  });
});

describe("a router without allowedHosts", () => {
  it("answers requests to any host [http.allowed-hosts]", async () => {
    const service = await serveForms();

    for (const host of ["evil.example", "", "x y"]) {
      expect(await send(service, { method: "GET", path: "/agents", headers: { host } })).toMatchObject({ status: 200 });
    }
    expect(await sendRaw(service, "GET /agents HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("the options of the guard", () => {
  it.each<[object, string]>([
    [{ allowedOrigins: ["*"] }, 'allowedOrigins[0] must be an origin such as "https://app.example.org"'],
    [{ allowedOrigins: ["null"] }, "allowedOrigins[0] must be an origin"],
    [{ allowedOrigins: ["https://a.example", "a.example"] }, "allowedOrigins[1] must be an origin"],
    [{ allowedOrigins: ["https://a.example/path"] }, "allowedOrigins[0] must be an origin"],
    [{ allowedOrigins: ["https://user@a.example"] }, "allowedOrigins[0] must be an origin"],
    [{ allowedOrigins: "https://a.example" }, "allowedOrigins must be an array of origins"],
    [{ allowedHosts: ["http://a.example"] }, 'allowedHosts[0] must be a name or an address such as "example.org"'],
    [{ allowedHosts: ["*.example"] }, "allowedHosts[0] must be a name or an address"],
    [{ allowedHosts: ["::1"] }, "allowedHosts[0] must be a name or an address"],
    [{ allowedHosts: [""] }, "allowedHosts[0] must be a name or an address"],
    [{ allowedHosts: [7] }, "allowedHosts[0] must be a name or an address"],
    [{ allowedHosts: "a.example" }, "allowedHosts must be an array of hosts"],
  ])("are refused when they would have no effect: %j", (options, message) => {
    expect(() => createService(options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }) as Error,
    );
  });
});

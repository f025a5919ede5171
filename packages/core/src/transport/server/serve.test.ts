import { createServer, request as sendRequest, Server } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as sendSecureRequest, Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { localhostTls, loopbackHosts } from "../../../test/loopback-server.ts";
import { silentLogger } from "../../base/log/logger.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Protocol } from "../service/protocol.ts";
import { createService } from "../service/service.ts";
import type { Service } from "../service/service.ts";
import { serve } from "./serve.ts";
import type { ServeOptions } from "./serve.ts";

const get = (exchange: Exchange): void => exchange.sendJson(200, { isSecure: exchange.isSecure });
const protocol: Protocol = { name: "one", routes: () => [{ path: "/a", get }] };

function serviceOf(): Service {
  const service = createService({ logger: silentLogger });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return service;
}

/** Serves on a free port of this machine until the test is over. */
async function listen(options: ServeOptions = {}, service = serviceOf()) {
  return { ...(await serve(service, [protocol], { port: 0, host: "127.0.0.1", ...options })), service };
}

/** Asks for a path over HTTP without a connection that stays open. */
async function ask(url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  const response = await fetch(url, { headers: { connection: "close", ...headers } });
  return { status: response.status, body: await response.text() };
}

const hosts = loopbackHosts();

describe("serve", () => {
  it("answers on a free port, with nothing found where nothing is served", async () => {
    const { server, url, service } = await listen();

    expect([url, server]).toEqual([`http://127.0.0.1:${(server.address() as AddressInfo).port}`, expect.any(Server)]);
    expect(await ask(`${url}/a`)).toEqual({ status: 200, body: '{"isSecure":false}' });
    const other = await ask(`${url}/b`, { "x-request-id": "mine" });
    expect([other.status, JSON.parse(other.body)]).toEqual([
      404,
      { error: { code: "not_found", message: "Nothing was found at this path.", requestId: "mine" } },
    ]);
    await service.close();
    expect(server.listening).toBe(false);
  });

  it.each(
    [
      ["127.0.0.1", /^http:\/\/127\.0\.0\.1:\d+$/],
      ["0.0.0.0", /^http:\/\/127\.0\.0\.1:\d+$/],
      ["localhost", /^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d+$/],
      [undefined, /^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d+$/],
      ["::1", /^http:\/\/\[::1\]:\d+$/],
      ["::", /^http:\/\/\[::1\]:\d+$/],
    ].filter(([host]) => hosts.includes("::1") || !String(host).includes(":")) as [string | undefined, RegExp][],
  )("names a URL at which this machine reaches the host %s", async (host, expected) => {
    const { url } = await listen({ host });

    expect(url).toMatch(expected);
    expect((await ask(`${url}/a`)).status).toBe(200);
  });

  it("answers over TLS with the options of Node's server", async () => {
    const { server, url } = await listen({ tls: localhostTls() });
    const request = sendSecureRequest(`${url}/a`, { rejectUnauthorized: false, agent: false }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];

    expect([url.startsWith("https://127.0.0.1:"), server]).toEqual([true, expect.any(SecureServer)]);
    expect(String(Buffer.concat(await response.toArray()))).toBe('{"isSecure":true}');
  });

  it.each(["plain HTTP", "TLS"])("passes its options of HTTP on to a server of %s", async (kind) => {
    const http = { maxHeaderSize: 2048, keepAliveTimeout: 1234 };
    const { server, url } = await listen({ http, ...(kind === "TLS" && { tls: localhostTls() }) });
    const send = kind === "TLS" ? sendSecureRequest : sendRequest;
    const statusOf = async (length: number) => {
      const headers = { "x-long": "x".repeat(length) };
      const [response] = (await once(
        send(`${url}/a`, { headers, agent: false, rejectUnauthorized: false } as object).end(),
        "response",
      )) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };

    expect([await statusOf(1000), await statusOf(3000), server.keepAliveTimeout]).toEqual([200, 431, 1234]);
  });

  it("lets its service begin only once it listens, and before it resolves", async () => {
    const service = serviceOf();
    const attached = vi.spyOn(service, "attach");
    const begun: boolean[] = [];
    vi.spyOn(service, "open").mockImplementationOnce(async () => {
      begun.push(attached.mock.calls[0]?.[0].listening === true);
      await new Promise(setImmediate);
      begun.push(true);
    });
    await listen({}, service);

    expect([begun, attached.mock.calls.length]).toEqual([[true, true], 1]);
  });

  it("rejects if its service cannot begin, and frees the port for another attempt", async () => {
    const service = serviceOf();
    const failure = new Error("No engine.");
    const attached = vi.spyOn(service, "attach");
    vi.spyOn(service, "open").mockImplementationOnce(async () => await Promise.reject(failure));
    await expect(listen({}, service)).rejects.toBe(failure);

    expect(attached.mock.calls[0]?.[0].listening).toBe(false);
    expect((await ask(`${(await listen({}, service)).url}/a`)).status).toBe(200);
  });

  it("is refused for protocols that answer one path, before it listens", async () => {
    const listened = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => listened.mockRestore());

    await expect(serve(serviceOf(), [protocol, { ...protocol, name: "two" }])).rejects.toMatchObject({
      code: "invalid_config",
      message: "one and two both answer GET /a. Give one of them another path.",
    });
    expect(listened).not.toHaveBeenCalled();
  });
});

describe("a port that is taken", () => {
  it("is an error with the port, the host and the reason, and the service does not begin", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const service = serviceOf();
    const opened = vi.spyOn(service, "open");

    await expect(listen({ port }, service)).rejects.toMatchObject({
      code: "unavailable",
      message: `The server cannot listen on port ${port} of 127.0.0.1. Choose another port or host. (listen EADDRINUSE: address already in use 127.0.0.1:${port})`,
      cause: { code: "EADDRINUSE" },
    });
    expect(opened).not.toHaveBeenCalled();
    await service.close();
  });

  it("is 3000 of all addresses by default, named without a host", async () => {
    const listened = vi.spyOn(Server.prototype, "listen").mockImplementationOnce(function fail(this: Server) {
      process.nextTick(() => this.emit("error", new Error("Taken.")));
      return this;
    });
    onTestFinished(() => listened.mockRestore());

    await expect(serve(serviceOf(), [protocol])).rejects.toMatchObject({
      message: "The server cannot listen on port 3000. Choose another port or host. (Taken.)",
    });
    expect(listened.mock.calls).toEqual([[3000, undefined]]);
  });
});

describe("the options of serve", () => {
  it.each<[object, string]>([
    [{ port: -1 }, "port must be an integer from 0 to 65535, got -1."],
    [{ port: 65_536 }, "port must be an integer from 0 to 65535, got 65536."],
    [{ port: "8o" }, "port must be an integer from 0 to 65535, got a string."],
    [{ host: 7 }, "host must be a string, got 7."],
    [{ tls: true }, "tls must be an object, got true."],
    [{ tls: [] }, "tls must be an object, got an array."],
    [{ http: null }, "http must be an object, got null."],
    [{ hostname: "x" }, 'Unknown option "hostname" of serve. Expected port, host, tls or http.'],
  ])("are refused as %j: %s", async (options, message) => {
    await expect(serve(serviceOf(), [protocol], options)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(message),
    });
  });
});

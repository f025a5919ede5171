import { once } from "node:events";
import { createServer, type AddressInfo, type LookupFunction, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { localhostTls, type LoopbackServer, serveLoopback } from "../../../test/loopback-server.ts";
import { codeOf, echo, failure } from "../../../test/pooled.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";

const allowing = (servers: readonly LoopbackServer[], options: GuardedFetchOptions = {}) =>
  createGuardedFetch({ ...options, allowPrivateHosts: servers.map(({ url }) => url.replace("http://", "")) });

const textOf = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).toString();

// The system's own lookup gives an error and nothing else, whatever its type says.
const lookupAsNodeFails: LookupFunction = (_hostname, _options, callback) => {
  const error = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  (callback as (error: Error) => void)(error);
};

describe("a guarded fetch", () => {
  it("returns the whole reply, and leaves no connection", async () => {
    const server = await serveLoopback((_, response) => response.writeHead(201, { "x-one": "1" }).end("héllo"));

    const reply = await allowing([server])(`${server.url}/path`);

    expect([reply.status, reply.headers.get("x-one"), reply.url]).toEqual([201, "1", `${server.url}/path`]);
    expect(textOf(reply)).toBe("héllo");
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("sends method, headers and body", async () => {
    const server = await serveLoopback(echo);

    const reply = await allowing([server])(server.url, { method: "post", headers: { "x-one": "1" }, body: "hi" });

    expect(JSON.parse(textOf(reply))).toMatchObject({ method: "POST", headers: { "x-one": "1" }, body: "hi" });
  });

  it("reaches a private host only by a host and port in allowPrivateHosts", async () => {
    const server = await serveLoopback(echo);
    const other = await serveLoopback(echo);
    const guardedFetch = createGuardedFetch({ allowPrivateHosts: [`localhost:${server.port}`, "[::1]:1"] });

    expect((await guardedFetch(`http://localhost:${server.port}/`)).status).toBe(200);
    for (const url of [server.url, other.url, `http://localhost:${other.port}/`]) {
      expect((await failure(guardedFetch(url))).fields).toEqual({ reason: "private_address" });
    }
    expect([server.connections(), other.connections()]).toEqual([1, 0]);
  });

  it.each([
    "localhost",
    "127.0.0.1",
    "http://localhost:80",
    "user@localhost:80",
    "localhost:80/x",
    "",
    ":80",
    "a b:80",
  ])("rejects %j in allowPrivateHosts when it is created", (host) => {
    expect(() => createGuardedFetch({ allowPrivateHosts: [host] })).toThrow(
      "allowPrivateHosts[0] must be a host and port",
    );
  });

  it.each(["maxBytes", "timeoutMs", "maxRedirects"])("rejects a %s that is no integer", (option) => {
    expect(() => createGuardedFetch({ [option]: -1 })).toThrow(option);
  });

  it("uses https, and leaves no connection when a reply breaks off", async () => {
    const known = getCACertificates();
    onTestFinished(() => setDefaultCACertificates(known));
    const tls = localhostTls();
    const server = await serveLoopback(
      ({ url }, response) => {
        if (url === "/whole") response.end("whole");
        else response.write("first");
      },
      { tls },
    );
    const allowPrivateHosts = [`127.0.0.1:${server.port}`];
    const guardedFetch = createGuardedFetch({ allowPrivateHosts });

    expect((await failure(guardedFetch(server.url))).fields).toEqual({ reason: "unreachable" });
    setDefaultCACertificates([...known, tls.cert]);
    expect(textOf(await guardedFetch(`${server.url}/whole`))).toBe("whole");
    const impatientFetch = createGuardedFetch({ allowPrivateHosts, timeoutMs: 300 });
    expect((await failure(impatientFetch(server.url))).code).toBe("timeout");

    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("closes a connection whose handshake hangs", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const connected = once(silent, "connection");
    const guardedFetch = createGuardedFetch({ allowPrivateHosts: [`127.0.0.1:${port}`], timeoutMs: 100 });

    const error = await failure(guardedFetch(`https://127.0.0.1:${port}/`));

    expect(error.code).toBe("timeout");
    const [socket] = (await connected) as [Socket];
    socket.resume();
    await vi.waitFor(() => expect(socket.closed).toBe(true));
  });

  it("rejects as unreachable when a name cannot be looked up", async () => {
    const cause = Object.assign(new Error("queryA ENOTFOUND a.example"), { code: "ENOTFOUND" });
    const failing = createGuardedFetch({ lookup: (_hostname, _options, callback) => callback(cause, "") });
    const silent = createGuardedFetch({ lookup: lookupAsNodeFails });

    for (const guardedFetch of [failing, silent]) {
      const error = await failure(guardedFetch("http://a.example/"));
      expect(error).toMatchObject({ code: "invalid_request", fields: { reason: "unreachable" } });
      expect(codeOf(error)).toBe("ENOTFOUND");
      expect(error.message).not.toContain("a.example");
    }
  });

  it("rejects as unreachable without naming the server, for any network failure", async () => {
    const server = await serveLoopback(({ socket }) => void socket.destroy());

    const error = await failure(allowing([server])(server.url));

    expect([error.code, error.fields]).toEqual(["invalid_request", { reason: "unreachable" }]);
    expect(error.message).not.toContain("127.0.0.1");
  });
});

describe("a guarded fetch that is redirected", () => {
  it.each([
    { status: 301, method: "POST", becomes: "GET" },
    { status: 302, method: "POST", becomes: "GET" },
    { status: 303, method: "PUT", becomes: "GET" },
    { status: 303, method: "HEAD", becomes: "HEAD" },
    { status: 301, method: "PUT", becomes: "PUT" },
    { status: 307, method: "POST", becomes: "POST" },
    { status: 308, method: "POST", becomes: "POST" },
  ])(
    "turns $method into $becomes by $status, and keeps the body only with the method",
    async ({ status, method, becomes }) => {
      const bodies: string[] = [];
      const server = await serveLoopback((request, response) => {
        request.on("data", (chunk: Buffer) => bodies.push(`${request.url} ${chunk.toString()}`));
        request.on("end", () => {
          if (request.url === "/start") response.writeHead(status, { location: "end?x=1" });
          response.end();
        });
      });

      const reply = await allowing([server])(`${server.url}/start`, { method, body: "hi" });

      expect(reply.url).toBe(`${server.url}/end?x=1`);
      expect(server.requests).toEqual([`${method} /start`, `${becomes} /end?x=1`]);
      expect(bodies).toEqual(becomes === "GET" ? ["/start hi"] : ["/start hi", "/end?x=1 hi"]);
    },
  );

  it("sends only harmless headers to another origin", async () => {
    const second = await serveLoopback(echo);
    const first = await serveLoopback((_, response) => response.writeHead(302, { location: second.url }).end());
    const secrets = { Authorization: "a", Cookie: "b", "X-Api-Key": "c", "x-goog-api-key": "d" };

    const reply = await allowing([first, second])(first.url, { headers: { ...secrets, Accept: "image/*" } });

    const { headers } = JSON.parse(textOf(reply)) as { headers: object };
    expect(Object.keys(headers).toSorted()).toEqual(["accept", "accept-encoding", "connection", "host"]);
    expect(headers).toMatchObject({ accept: "image/*" });
  });

  it("keeps its headers within the same origin", async () => {
    const server = await serveLoopback((request, response) => {
      if (request.url === "/start") response.writeHead(302, { location: "/end" }).end();
      else echo(request, response);
    });

    const reply = await allowing([server])(`${server.url}/start`, { headers: { authorization: "a" } });

    expect(JSON.parse(textOf(reply))).toMatchObject({ headers: { authorization: "a" } });
  });

  it.each([307, 308])("carries no body to another origin by %i", async (status) => {
    const second = await serveLoopback(echo);
    const first = await serveLoopback((_, response) => response.writeHead(status, { location: second.url }).end());

    const error = await failure(allowing([first, second])(first.url, { method: "POST", body: "hi" }));

    expect(error.fields).toEqual({ reason: "redirected_body" });
    expect(second.connections()).toBe(0);
  });

  it.each([0, 1, 3])("follows maxRedirects of %i, and not one more", async (maxRedirects) => {
    const server = await serveLoopback((_, response) => response.writeHead(302, { location: "/" }).end());

    const error = await failure(allowing([server], { maxRedirects })(server.url));

    expect(error.fields).toEqual({ reason: "too_many_redirects" });
    expect(server.requests).toHaveLength(maxRedirects + 1);
  });

  it("returns a redirect without a location as the answer", async () => {
    const server = await serveLoopback((_, response) => response.writeHead(302).end("here"));

    expect(textOf(await allowing([server])(server.url))).toBe("here");
  });
});
